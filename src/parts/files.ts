// Encrypted uploads, and folders that are verified: step by step, each of which another process may take.

export type { UploadState } from "../storage/upload/journal-entry.ts";
export { hashFolder, sendFolder } from "./send-folder.ts";
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
export type { SourceFile } from "../platform/types.ts";
export { isKnown } from "../storage/files/info.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { listSourceFiles } from "../storage/upload/source.ts";
export { createFileCipher, type FileCipher, measureDerivation } from "./encrypted-files.ts";
export { normalizeCid } from "./send-folder.ts";

// Schemas of calls, to extend.

export { ownerCallSchema } from "../keys/auth/owner.ts";
export { recoverFileKeySchema } from "../keys/file-keys/recover-file-key.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { getPriceOperation } from "../payment/quote.ts";
export { uploadEncryptedSchema } from "../storage/upload/upload-encrypted.ts";
