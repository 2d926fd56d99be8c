// Building blocks that need a disk, for packages that run in Node alone. They follow the package's version, not the
// promises of the main entry: a minor release may change them.

export { createSyncer, replaceFile, syncFolder } from "../platform/node/durable-files.ts";
export { takeLock } from "../platform/node/journal-lock.ts";
export { hasOwnKey, hasOwnState } from "../platform/node/own-state.ts";
export { readVersionedJson } from "../platform/node/small-files.ts";
export { withWriteErrors } from "../platform/node/target-file.ts";
export { createTemporaryPath, isTemporary, removeLeftOver } from "../platform/node/temporary-file.ts";
