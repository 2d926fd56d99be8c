/** A command that cannot be carried out as it was typed or configured. Nothing was sent. */
export class UsageError extends Error {
  /** Stable, as the codes of keeplight's errors. */
  readonly code: string;
  /** What people can do about it. */
  readonly hint: string | undefined;
  /** The command that continues the work. */
  readonly resume: string | undefined;

  constructor(
    message: string,
    { code = "USAGE", hint, resume }: { code?: string; hint?: string; resume?: string } = {},
  ) {
    super(message);
    this.resume = resume;
    this.code = code;
    this.hint = hint;
  }
}
