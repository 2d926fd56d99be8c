import { KeeplightError } from "keeplight";
import { cannotWrite } from "keeplight/parts";

/** What LevelDB says of errors of the system, whose codes it does not report. */
const SYSTEM_ERRORS: readonly [text: string, code: string][] = [
  ["No space left on device", "ENOSPC"],
  ["Disk quota exceeded", "EDQUOT"],
  ["File too large", "EFBIG"],
  ["Read-only file system", "EROFS"],
  ["Permission denied", "EACCES"],
  ["Too many open files", "EMFILE"],
  ["Input/output error", "EIO"],
];

/** @param error - of opening a LevelDB in this folder */
export function cannotOpenLevel(folder: string, error: unknown): KeeplightError {
  return cannotWrite(folder, toSystemError(error));
}

/** What is written after a write that failed may be lost, although LevelDB reports success. */
export function levelFailed(folder: string, error: unknown): KeeplightError {
  const { message, details, cause } = cannotWrite(folder, toSystemError(error));
  const advice = "close the ledger and open it again, once that is mended";
  return new KeeplightError("CANNOT_WRITE", `${message}: ${advice}`, { details, cause });
}

/** Returns the error of LevelDB, or that of the system if it is known. */
function toSystemError(error: unknown): unknown {
  const { cause = error } = error as { cause?: unknown };
  const message = cause instanceof Error ? cause.message : "";
  const code = SYSTEM_ERRORS.find(([text]) => message.includes(text))?.[1];
  return code === undefined ? cause : Object.assign(new Error(message), { code });
}
