export type { EntryLike } from "./changes.ts";
export type { DriveStatus } from "./core.ts";
export type { AddOptions, AdoptedFile, Drive } from "./drive.ts";
export type { Inbox, ReceivedFile } from "./inbox/inbox.ts";
export { type DriveOptions, openDrive } from "./open-drive.ts";
export { openSession } from "./session/open-session.ts";
export type { Session, SessionCallOptions, SessionOptions, SessionState, SignInOptions } from "./session/session.ts";
export type { DriveEntry, DriveFile, DriveFolder, DriveVersion } from "./tree.ts";
export type { DriveProblem } from "./versions.ts";
