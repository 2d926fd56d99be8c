// Encrypted uploads, and folders that are verified: step by step, each of which another process may take.

export type { UploadState } from "../storage/upload/journal-entry.ts";
export { createFileHasher, hashFile, hashFolder, normalizeCid, sendFolder } from "./hash-files.ts";
export { createUploadSteps, isStoredAs, uploadKeysFirst } from "./upload-steps.ts";

// Journals and keys: sealed entries, each with one owner at a time; the account; keys that nothing has proved yet.

export { journalStore } from "#platform";
export type { Entries, Entry } from "../journal/entries.ts";
export { getQueue, type QueuedBatch, type QueuedPlace } from "../journal/handle.ts";
export { isSameAddress, refuseOtherOwner } from "../journal/operations.ts";
export type { JournalStore } from "../platform/types.ts";
export { getOwnerAddress, openByKeys, signInToKeyNodes } from "./encrypted-files.ts";
export { getPayments, openEntries } from "./journals.ts";

// Files: list them, encrypt them, compute and compare their content ids.

export { checkCid } from "../formats/cid/content-id.ts";
export { encryptedSize } from "../formats/crypto/file-format.ts";
export { isSafeName } from "../formats/folder-file/paths.ts";
export type { SourceFile } from "../platform/types.ts";
export { checkOutput, outputSchema, writeOutput } from "../storage/download/output.ts";
export { isKnown } from "../storage/files/info.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { isChunkStream, listSourceFiles, withSourceCleanup } from "../storage/upload/source.ts";
export { createFileCipher, measureDerivation } from "./encrypted-files.ts";

// Recovery files, and what proves keys.

export { checkChunkProfile } from "../formats/cid/chunk-profile.ts";
export { verifyCommitment } from "../formats/crypto/commitment.ts";
export { assertMasterKey } from "../formats/crypto/file-format.ts";
export { loadAge } from "../formats/load-age.ts";
export { formatEntry, type RecoveryEntry, type RecoveryKey } from "../formats/recovery-file/entry.ts";
export { recoverProvenKey } from "../storage/download/try-keys.ts";

// Schemas of calls, to extend.

export { ownerCallSchema } from "../keys/auth/owner.ts";
export { recoverFileKeySchema } from "../keys/file-keys/recover-file-key.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { getPriceOperation } from "../payment/quote.ts";
export { uploadEncryptedSchema } from "../storage/upload/upload-encrypted.ts";
