import { isKeeplightError } from "keeplight";

/** Whether an error of listing a folder says that there is a file instead, or of opening a file, that there is a folder. */
export function isOtherKind(error: unknown): boolean {
  if (!isKeeplightError(error, "UNSUPPORTED")) return false;
  return /is not a (file|folder)$/.test(error.message);
}
