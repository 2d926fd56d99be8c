// Building blocks that need a disk, for packages that run in Node alone. They follow the package's version, not the
// promises of the main entry: a minor release may change them.

/** Writes that survive a power cut. */
/** Replaces a file at once or not at all. */
export { createSyncer, replaceFile, syncFolder } from "../platform/node/durable-files.ts";
/** One owner at a time, of any number of processes. */
export { takeLock } from "../platform/node/journal-lock.ts";
export { readVersionedJson } from "../platform/node/small-files.ts";
/** Reports a full or read-only disk as an error of this kit. */
export { withWriteErrors } from "../platform/node/target-file.ts";
export { createTemporaryPath, isTemporary, removeLeftOver } from "../platform/node/temporary-file.ts";
