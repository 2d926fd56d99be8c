import { KeeplightError } from "keeplight";
import { printable } from "keeplight/parts";

const REFUSALS = {
  /** The endpoint's `authorize` does not accept the request. */
  access: "The upload is not authorized",
  /** Another site's page may be using the cookies of someone who is signed in. */
  origin: "Uploads from pages of another origin are not accepted",
  /** The upload would be stored as a folder, which the endpoint's limits exclude. */
  folder: "Folders are not accepted",
  /** The upload names a storage class, which the endpoint's limits exclude. */
  storage: "The storage class is not accepted",
} as const;

export function uploadRefused(reason: keyof typeof REFUSALS): KeeplightError {
  return new KeeplightError("UPLOAD_REFUSED", REFUSALS[reason], { details: { reason } });
}

export function tooManyFiles(limit: number): KeeplightError {
  const details = { reason: "count", limit } as const;
  return new KeeplightError("UPLOAD_REFUSED", `Too many files: the limit is ${limit}`, { details });
}

export function typeRefused({ name, type }: { name: string; type: string }, types: readonly string[]): KeeplightError {
  const message = `Type not accepted: ${printable(name)} is no ${types.join(", ")}, or its bytes or extension contradict its type ${type}`;
  return new KeeplightError("UPLOAD_REFUSED", message, { details: { reason: "type", name, types } });
}

/** @param limit - bytes of all files together */
export function uploadTooLarge(limit: number): KeeplightError {
  return new KeeplightError("FILE_TOO_LARGE", `Upload too large: the limit is ${limit} bytes`, { details: { limit } });
}

/** The upload node would store one of the two only. */
export function duplicateName(name: string, first: string): KeeplightError {
  return new KeeplightError("DUPLICATE_NAME", `Duplicate file name found: ${name}`, { details: { name, first } });
}

export function clientGone(cause: unknown): KeeplightError {
  return new KeeplightError("ABORTED", "The operation was aborted", { cause });
}
