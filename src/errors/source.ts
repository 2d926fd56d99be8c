import { KeeplightError } from "./base.ts";

export function sourceChanged(name: string, expected: number, got: number): KeeplightError {
  return new KeeplightError("SOURCE_CHANGED", `The source changed while it was read: ${name}`, {
    details: { name, expectedBytes: expected, gotBytes: got },
  });
}

export function sourceUnreadable(name: string, cause: unknown): KeeplightError {
  return new KeeplightError("SOURCE_UNREADABLE", `The source could not be read: ${name}`, { details: { name }, cause });
}

export function cannotWrite(path: string, cause: unknown): KeeplightError {
  return new KeeplightError("CANNOT_WRITE", `Could not write: ${path}`, { details: { path }, cause });
}
