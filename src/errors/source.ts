import { KeeplightError } from "./base.ts";

export function sourceChanged(name: string, expected: number, got: number): KeeplightError {
  return new KeeplightError("SOURCE_CHANGED", `The source changed while it was read: ${name}`, {
    details: { name, expectedBytes: expected, gotBytes: got },
  });
}

export function sourceUnreadable(name: string, cause: unknown): KeeplightError {
  const { path = name, ...details } = systemFacts(cause);
  return new KeeplightError("SOURCE_UNREADABLE", `The source could not be read: ${named(path, details)}`, {
    details: { name, path, ...details },
    cause,
  });
}

export function cannotWrite(path: string, cause: unknown): KeeplightError {
  const { path: _, ...details } = systemFacts(cause);
  return new KeeplightError("CANNOT_WRITE", `Could not write: ${named(path, details)}`, {
    details: { path, ...details },
    cause,
  });
}

/** What the operating system says about a file that it does not open: which one, and why, such as `ENOENT`. */
function systemFacts(cause: unknown): { path?: string; code?: string } {
  if (!(cause instanceof Error)) return {};
  const { path, code } = cause as { path?: unknown; code?: unknown };
  return { ...(typeof path === "string" ? { path } : {}), ...(typeof code === "string" ? { code } : {}) };
}

function named(path: string, { code }: { code?: string }): string {
  return code === undefined ? path : `${path} (${code})`;
}
