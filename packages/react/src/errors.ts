import { KeeplightError } from "keeplight";

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

/** Something requires the journal, which this kit does not have. */
export function unsupported(what: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `Not possible in this runtime: ${what}`);
}

/** What was thrown, as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
