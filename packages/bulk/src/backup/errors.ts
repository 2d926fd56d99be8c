import { KeeplightError } from "keeplight";

/** Files of a backup could not be stored, for a reason that is not their own. */
export function backupUnfinished(files: number, { code, message }: { code: string; message: string }): KeeplightError {
  const what = files === 1 ? "1 file" : `${files} files`;
  return new KeeplightError("BACKUP_UNFINISHED", `${what} of the backup could not be stored: ${message}`, {
    details: { files, reason: code },
  });
}

/** Files of a snapshot could not be restored; all others are. */
export function restoreUnfinished(failed: readonly { path: string; code: string }[]): KeeplightError {
  const what = failed.length === 1 ? "1 file" : `${failed.length} files`;
  return new KeeplightError("RESTORE_UNFINISHED", `${what} could not be restored; everything else is`, {
    details: { failed: [...failed] },
  });
}

/** A decrypted file is not a snapshot of a backup, or not one that may be trusted. */
export function invalidSnapshot(cid: string, problem: string): KeeplightError {
  return new KeeplightError("INVALID_SNAPSHOT", `${cid} is not a snapshot that can be read: ${problem}`, {
    details: { cid, problem },
  });
}

/** Something else is where an entry of a snapshot belongs. */
export function fileExists(path: string): KeeplightError {
  return new KeeplightError("FILE_EXISTS", `Something else is at ${path}`, { details: { path } });
}
