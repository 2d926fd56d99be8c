// Drives: their entries in a journal, the uploads that they follow, and what is stored of them.

export { invalidDrive } from "../base/errors/content.ts";
export { duplicateName } from "../base/errors/input.ts";
export { plaintextSize } from "../formats/crypto/file-format.ts";
export { findNameProblem, findTextProblem } from "../formats/folder-file/paths.ts";
export { getEntries, type JournalLike, toJournal } from "../journal/handle.ts";
export { DRIVE_CHANGE_KIND, DRIVE_KIND, UPLOAD_KIND } from "../journal/operations.ts";
export { describeFile, writeStoredManifest } from "../storage/folders/manifest-of-stored.ts";
export type { FileState } from "../storage/upload/upload-entry.ts";
