import { KeeplightError } from "./base.ts";

/**
 * A file is not as it was when it was listed.
 *
 * @param expected - its bytes then; `got` its bytes now
 */
export function sourceChanged(name: string, expected: number, got: number): KeeplightError {
  return new KeeplightError("SOURCE_CHANGED", `The source changed while it was read: ${name}`, {
    details: { name, expectedBytes: expected, gotBytes: got },
  });
}

/**
 * A file or folder cannot be read.
 *
 * @param cause - the error of the operating system, whose code is in the details
 */
export function sourceUnreadable(name: string, cause: unknown): KeeplightError {
  const { path = name, ...details } = readSystemFacts(cause);
  return new KeeplightError("SOURCE_UNREADABLE", `The source could not be read: ${formatPath(path, details)}`, {
    details: { name, path, ...details },
    cause,
  });
}

/**
 * A file or folder cannot be written.
 *
 * @param cause - the error of the operating system, whose code is in the details
 */
export function cannotWrite(path: string, cause: unknown): KeeplightError<"CANNOT_WRITE"> {
  const { path: _, ...details } = readSystemFacts(cause);
  return new KeeplightError("CANNOT_WRITE", `Could not write: ${formatPath(path, details)}`, {
    details: { path, ...details },
    cause,
  });
}

/** @param room - how much of its quota the site uses, if the browser reports it */
export function browserStorageFull(
  room: { usedBytes: number; quotaBytes: number } | undefined,
  cause: unknown,
): KeeplightError {
  const used = room ? ` (${room.usedBytes} of ${room.quotaBytes} bytes are in use)` : "";
  const message = `Could not write: the browser has no more room for this site${used}. Private windows have less of it`;
  return new KeeplightError("CANNOT_WRITE", message, { details: { path: "the browser's storage", ...room }, cause });
}

/** Reads which file the operating system could not open, and why, such as `ENOENT`. */
function readSystemFacts(cause: unknown): { path?: string; code?: string } {
  if (!(cause instanceof Error)) return {};
  const { path, code } = cause as { path?: unknown; code?: unknown };
  return { ...(typeof path === "string" ? { path } : {}), ...(typeof code === "string" ? { code } : {}) };
}

function formatPath(path: string, { code }: { code?: string }): string {
  return code === undefined ? path : `${path} (${code})`;
}
