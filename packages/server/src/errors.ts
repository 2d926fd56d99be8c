import { KeeplightError, type RequestFacts } from "keeplight";
import { printable } from "keeplight/parts";

/** Nobody may upload whom the endpoint's `authorize` does not accept. */
export function accessRefused(): KeeplightError {
  return new KeeplightError("UPLOAD_REFUSED", "The upload is not authorized", { details: { reason: "access" } });
}

/** Another site's page may be using the cookies of someone who is signed in. */
export function originRefused(): KeeplightError {
  return new KeeplightError("UPLOAD_REFUSED", "Uploads from pages of another origin are not accepted", {
    details: { reason: "origin" },
  });
}

export function tooManyFiles(limit: number): KeeplightError {
  return new KeeplightError("UPLOAD_REFUSED", `Too many files: the limit is ${limit}`, {
    details: { reason: "count", limit },
  });
}

/** The upload would be stored as a folder, which the endpoint's limits exclude. */
export function folderRefused(): KeeplightError {
  return new KeeplightError("UPLOAD_REFUSED", "Folders are not accepted", { details: { reason: "folder" } });
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

export function timedOut(facts: RequestFacts, timeoutMs: number): KeeplightError {
  return new KeeplightError("TIMEOUT", "Request timed out", { details: { ...facts, timeoutMs } });
}

/** The client sent nothing for this long, in milliseconds. */
export function idleTooLong(facts: RequestFacts, idleMs: number): KeeplightError {
  return new KeeplightError("TIMEOUT", `Request timed out: nothing moved for ${idleMs} ms`, {
    details: { ...facts, idleMs },
  });
}

export function clientGone(cause: unknown): KeeplightError {
  return new KeeplightError("ABORTED", "The operation was aborted", { cause });
}
