// Building blocks that need a disk, for packages that run in Node alone. They follow the package's version, not the
// promises of the main entry: a minor release may change them.

/** Writes that survive a power cut. */
export { createSyncer, syncFolder } from "../platform/node/durable.ts";
/** Reports a full or read-only disk as an error of this kit. */
export { withWriteErrors } from "../platform/node/file-target.ts";
/** Replaces a file at once or not at all. */
export { replaceFile } from "../platform/node/journal-files.ts";
/** One owner at a time, of any number of processes. */
export { takeLock } from "../platform/node/journal-lock.ts";
export { createTemporaryPath, isTemporary, removeLeftOver } from "../platform/node/temporary-file.ts";
export { readVersionedJson } from "../platform/node/versioned-json.ts";
