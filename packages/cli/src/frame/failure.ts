import { toSafeJson } from "../output/format.ts";
import type { FailureReport } from "../output/output.ts";

/** A command that cannot be carried out as it was typed or configured. Nothing was sent. */
export class UsageError extends Error {
  /** Stable, as the codes of keeplight's errors. */
  readonly code: string;
  /** What people can do about it. */
  readonly hint: string | undefined;
  /** The command that continues the work. */
  readonly resume: string | undefined;

  constructor(message: string, code = "USAGE", hint?: string, resume?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.resume = resume;
  }
}

/** How a command may end. */
export const EXIT = { done: 0, failed: 1, resumable: 2, interrupted: 130 } as const;

/** How a command ends that a signal has interrupted: 128 and the number of the signal, as shells report it. */
export const EXIT_BY_SIGNAL = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Describes a failure.
 *
 * @param kit - the package, which has not to be loaded for a `UsageError`
 * @param resume - the command that continues the work, if the journal has it
 * @param interruptedBy - the exit code of the signal that interrupted the command
 */
export function describeFailure(
  error: unknown,
  kit: Pick<Package, "isKeeplightError"> | undefined,
  { resume, interruptedBy }: { resume?: string | undefined; interruptedBy?: number | undefined } = {},
): FailureReport {
  const exitCode = interruptedBy ?? (resume === undefined ? EXIT.failed : EXIT.resumable);
  if (error instanceof UsageError) {
    const { code, message, hint, resume: own = resume } = error;
    const ended = code === "ABORTED" ? EXIT.interrupted : own === undefined ? EXIT.failed : EXIT.resumable;
    return { code, message, details: {}, exitCode: interruptedBy ?? ended, resume: own, hint };
  }
  if (kit?.isKeeplightError(error)) {
    const { code, message, details } = error;
    const shown = error.toString().replace(/^\w+: /, "") || message;
    return { code, message: shown, details: toPlain(details), exitCode, resume, hint: findHint(code, details) };
  }
  if (interruptedBy !== undefined && error instanceof Error && error.name === "AbortError") {
    return { code: "ABORTED", message: "Interrupted", details: {}, exitCode, resume };
  }
  // What the system reports has a code; anything else is a mistake of this program.
  const known = (error as NodeJS.ErrnoException | undefined)?.code;
  const code = typeof known === "string" ? known : "INTERNAL";
  const message = error instanceof Error ? error.message : String(error);
  return { code, message, details: {}, exitCode, resume };
}

/** Details are plain data; an unknown value must not end the report. */
function toPlain(details: object): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(toSafeJson(details));
  } catch {
    return {};
  }
}

function findHint(code: string, details: Readonly<Record<string, unknown>>): string | undefined {
  if (code === "HTTP_STATUS" && details["status"] === 401)
    return "Is the API key still valid? Log in again: keeplight login";
  if (code === "HTTP_STATUS" && typeof details["advice"] === "string") return details["advice"];
  if (code === "NOT_VERIFIED") return "Try other gateways, or accept any bytes: --unverified";
  if (code === "NOT_OWNER" || code === "NODE_REFUSED") return "Which account signs: keeplight whoami";
  // A database or a queue says itself what is wrong, such as a password.
  const isOfDatabase = /^(redis|postgres)/i.test(String(details["url"]));
  if ((code === "NETWORK" && !isOfDatabase) || code === "TIMEOUT") {
    const where = [readHost(details["url"]), details["reason"]].filter(Boolean).join(": ");
    return `No response${where && ` (${where})`}. Is there a network connection? Nothing else is known to be wrong.`;
  }
  return undefined;
}

/** Returns the host and port of a URL, whose path and query may have a key of the service. */
function readHost(url: unknown): string | undefined {
  try {
    return new URL(String(url)).host;
  } catch {
    return undefined;
  }
}

/** The functions of keeplight, loaded when a command needs them. */
export type Package = typeof import("keeplight");
