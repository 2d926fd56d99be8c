export type { AddOptions } from "./add-options.ts";
export type { EntryLike } from "./changes.ts";
export type { Contact, ContactOptions, Contacts } from "./contacts/contacts.ts";
export type { DriveStatus } from "./core.ts";
export {
  type AddedFile,
  type AddManifestOptions,
  type AdoptedFile,
  type Drive,
  MANIFEST_NAME,
} from "./drive.ts";
export { isFolderManifest } from "./folder-manifests.ts";
export type { Inbox, ReceivedFile } from "./inbox/inbox.ts";
export type { LinkFacts } from "./links/link-format.ts";
export type { CreateLinkOptions, DriveLink, Links } from "./links/links.ts";
export { type LinkedFile, type OpenLinkOptions, openLink } from "./links/open-link.ts";
export { type JournaledDrive, listDrives } from "./list-drives.ts";
export { type DriveOptions, findDrive, openDrive } from "./open-drive.ts";
export { isDriveOwnFile } from "./remote.ts";
export { openSession } from "./session/open-session.ts";
export type { Session, SessionCallOptions, SessionOptions, SessionState, SignInOptions } from "./session/session.ts";
export type { DriveEntry, DriveFile, DriveFolder, DriveVersion } from "./tree.ts";
export type { DriveProblem } from "./versions.ts";
