import { KeeplightError } from "keeplight";

/** Files of a backup could not be stored, for a reason that is not their own. */
export function backupUnfinished(files: number, { code, message }: { code: string; message: string }): KeeplightError {
  const what = files === 1 ? "1 file" : `${files} files`;
  const details = { files, reason: code };
  return new KeeplightError("BACKUP_UNFINISHED", `${what} of the backup could not be stored: ${message}`, { details });
}

/** Files of a snapshot could not be restored; all others are. */
export function restoreUnfinished(failed: readonly { path: string; code: string }[]): KeeplightError {
  const what = failed.length === 1 ? "1 file" : `${failed.length} files`;
  const details = { failed: [...failed] };
  return new KeeplightError("RESTORE_UNFINISHED", `${what} could not be restored; everything else is`, { details });
}

/** A decrypted file is not a snapshot of a backup, or not one that may be trusted. */
export function invalidSnapshot(cid: string, problem: string): KeeplightError {
  const details = { cid, problem };
  return new KeeplightError("INVALID_SNAPSHOT", `${cid} is not a snapshot that can be read: ${problem}`, { details });
}

/** Something else is where an entry of a snapshot belongs. */
export function fileExists(path: string): KeeplightError {
  return new KeeplightError("FILE_EXISTS", `Something else is at ${path}`, { details: { path } });
}
