import { type AnyKeeplightError, isKeeplightError, isUnfinished, KeeplightError } from "../../src/index.ts";

/** Compiled by `npm run typecheck`, never run. */
export function narrowsByCode(error: unknown, known: AnyKeeplightError): void {
  if (isKeeplightError(error) && error.code === "HTTP_STATUS") error.details.status satisfies number;
  if (isKeeplightError(error, "CID_MISMATCH")) error.details.expected satisfies string;
  if (known.code === "FILE_TOO_LARGE") known.details.limit satisfies number;

  // @ts-expect-error: not every error has a status
  known.details.status satisfies number;
  // @ts-expect-error: no such code
  isKeeplightError(error, "NO_SUCH_CODE");
}

export async function resumesUnfinished(error: unknown, signal: AbortSignal): Promise<void> {
  if (isUnfinished(error)) await error.resume({ signal });
  // @ts-expect-error: other errors cannot be resumed
  if (isKeeplightError(error)) await error.resume();
}

export function requiresDetails(): KeeplightError[] {
  return [
    new KeeplightError("MISSING_TOKEN", "no token"),
    new KeeplightError("NOT_OWNER", "not the owner", { details: { cid: "bafy" } }),
    // @ts-expect-error: the CID is missing
    new KeeplightError("NOT_OWNER", "not the owner"),
    // @ts-expect-error: so are all details
    new KeeplightError("NOT_OWNER", "not the owner", { cause: 1 }),
  ];
}
