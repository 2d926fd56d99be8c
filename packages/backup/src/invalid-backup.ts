import { KeeplightError } from "keeplight";

/** A stored file is not part of a backup, or not one that may be trusted. */
export function invalidBackup(cid: string, problem: string): KeeplightError {
  const details = { cid, problem };
  return new KeeplightError("INVALID_SNAPSHOT", `${cid} is not part of a backup that can be read: ${problem}`, {
    details,
  });
}
