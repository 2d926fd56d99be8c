import { KeeplightError } from "./base.ts";

/** A decrypted file is not the manifest of a folder, or not one that may be trusted. */
export function invalidFolder(cid: string, problem: string): KeeplightError {
  return new KeeplightError("INVALID_FOLDER", `${cid} is not an encrypted folder that can be read: ${problem}`, {
    details: { cid, problem },
  });
}

/** Only the owner of an encrypted folder may change who can open it. */
export function notOwnerOfFolder(cid: string): KeeplightError {
  return new KeeplightError("NOT_OWNER", "Only the owner of a folder may change who can open it", { details: { cid } });
}
