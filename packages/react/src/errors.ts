import { type ErrorCode, isKeeplightError, KeeplightError } from "keeplight";

/** A hook was called where no kit is provided. */
export function missingKitProvider(): KeeplightError {
  return new KeeplightError("UNSUPPORTED", "useKit and the other hooks work below a <KitProvider> only");
}

/** A hook of the drive was called where no drive is provided. */
export function missingDriveProvider(): KeeplightError {
  return new KeeplightError("UNSUPPORTED", "useDrive, useFolder and useInbox work below a <DriveProvider> only");
}

/** The drive was called before it was open. */
export function driveNotOpen(): KeeplightError {
  return new KeeplightError("UNSUPPORTED", "The drive is not open yet, or could not be opened");
}

/** Errors that mean the same for what is added to the drive as for opening it. */
const ALSO_OF_UPLOADS = new Set<ErrorCode>([
  "NETWORK",
  "TIMEOUT",
  "ABORTED",
  "SIGNATURE_REJECTED",
  "SESSION_ENDED",
  "JOURNAL_CLOSED",
]);

/**
 * Why what needs the drive has failed, as the drive could not be opened. An error of the drive's own files would read as one of
 * the file that is added, and resuming it would store none.
 */
export function toOpeningError(error: Error): Error {
  if (isKeeplightError(error) && ALSO_OF_UPLOADS.has(error.code)) return error;
  const message = `The drive cannot be opened now, so nothing was sent: ${error.message}`;
  return new KeeplightError("DRIVE_NOT_OPEN", message, { cause: error });
}

/** Something requires the journal, which this kit does not have. */
export function unsupported(what: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `Not possible in this runtime: ${what}`);
}

/** What was thrown, as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
