// Building blocks for packages on top of this one: docs/parts.md. They follow the package's version, not the promises of the
// main entry: a minor release may change them. What needs a disk is in `keeplight/parts/node`.

// Encrypted uploads, and folders that are verified: step by step, each of which another process may take.

export type { UploadState } from "../storage/upload/journal-entry.ts";
export { uploadEncryptedWithHeaders } from "../storage/upload/upload-encrypted.ts";
export { hashFolder, sendFolder } from "./send-folder.ts";
export { createUploadSteps, isStoredAs, uploadKeysFirst } from "./upload-steps.ts";

// Journals and keys: sealed entries, each with one owner at a time; the account; keys that nothing has proved yet.

export { journalStore } from "#platform";
export type { Entries, Entry } from "../journal/entries.ts";
export { getQueue, type QueuedBatch, type QueuedPlace } from "../journal/handle.ts";
export { isSameAddress, refuseOtherOwner } from "../journal/operations.ts";
export type { JournalStore, SourceFile } from "../platform/types.ts";
export { getOwnerAddress, openByKeys } from "./encrypted-files.ts";
export { getPayments, openEntries } from "./journals.ts";

// Files: list them, encrypt them, compute and compare their content ids.

export { checkCid } from "../formats/cid/content-id.ts";
export { encryptedSize } from "../formats/crypto/file-format.ts";
export { isKnown } from "../storage/files/info.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { copySource, listSourceFiles } from "../storage/upload/source.ts";
export { createFileCipher, type FileCipher, measureDerivation } from "./encrypted-files.ts";
export { normalizeCid } from "./send-folder.ts";

// Options of a call: a schema of checks and defaults, by which they are copied, checked and resolved once.

export type { Check, OptionSchema, Resolved } from "../base/operation.ts";
export { copyInput, isOptions, pickOptions, resolveChanges, resolveOptions } from "../base/operation.ts";
export type { ResolvedEndpoints } from "../base/options.ts";
export { bearerSchema, callSchema, checkToken, copyOptions, mixedSchema, resolveCall } from "../base/options.ts";

// Checks of one option each.

export { boolean, callback, optional, reference, signal, unchecked, wholeNumber } from "../base/operation.ts";

// Schemas of calls, to extend.

export { ownerCallSchema } from "../keys/auth/owner.ts";
export { recoverFileKeySchema } from "../keys/file-keys/recover-file-key.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { getPriceOperation } from "../payment/quote.ts";
export { uploadEncryptedSchema } from "../storage/upload/upload-encrypted.ts";

// Requests to the API, and uploads with further headers or through an endpoint.

export { requestApi } from "../network/http/api-client.ts";
export { refusalStatus } from "../storage/upload/refusal-codes.ts";
export { relay } from "../storage/upload/send.ts";
export { uploadWithHeaders } from "../storage/upload/upload.ts";
export { uploadCarWithHeaders } from "../storage/upload/upload-car.ts";

// Wallets of a page.

export { createProviderSigner, resolveSigner } from "../base/validation/sign.ts";
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/signer.ts";
export { watchWallets } from "../network/ethereum/eip-6963.ts";

// Work that a signal ends, errors that several packages throw, and state that all copies of a package share.

export { throwIfAborted, untilAborted, wait } from "../base/async/abort.ts";
export { mapInOrder } from "../base/async/parallel.ts";
export { printable } from "../base/errors/base.ts";
export { cannotWrite, invalidOption, invalidSource, sourceChanged, sourceUnreadable } from "../base/errors/input.ts";
export { entryBusy } from "../base/errors/journal.ts";
export { shared } from "../base/shared.ts";
export { watchIdle } from "../network/http/deadline.ts";
