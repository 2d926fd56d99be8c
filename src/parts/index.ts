// Building blocks for packages on top of this one: docs/parts.md. They follow the package's version, not the promises of the
// main entry: a minor release may change them. What needs a disk is in `keeplight/parts/node`.

export { journalStore } from "#platform";
export { throwIfAborted, untilAborted, wait } from "../base/async/abort.ts";
export { mapInOrder } from "../base/async/map-in-order.ts";
export { boolean, callback, optional, reference, signal, unchecked, wholeNumber } from "../base/checks.ts";
export type { ResolvedEndpoints } from "../base/config/endpoints.ts";
export { copyInput } from "../base/copy-input.ts";
export { copyOptions } from "../base/copy-options.ts";
export { invalidOption, invalidSource } from "../base/errors/input.ts";
export { entryBusy } from "../base/errors/journal.ts";
export { printable } from "../base/errors/printable.ts";
export { cannotWrite, sourceChanged, sourceUnreadable } from "../base/errors/source.ts";
export {
  type Check,
  isOptions,
  type OptionSchema,
  pickOptions,
  type Resolved,
  resolveChanges,
  resolveOptions,
} from "../base/operation.ts";
export { bearerSchema, callSchema, checkToken, mixedSchema, resolveCall } from "../base/options.ts";
export { shared } from "../base/shared.ts";
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/eip-1193.ts";
export { createProviderSigner, resolveSigner } from "../base/validation/resolve-signer.ts";
export { checkCid } from "../formats/cid/check-cid.ts";
export { encryptedSize } from "../formats/crypto/file-format.ts";
export type { Entries, Entry } from "../journal/entries.ts";
export { getQueue } from "../journal/handle.ts";
export type { QueuedBatch, QueuedPlace } from "../journal/queue.ts";
export { isSameAddress, refuseOtherOwner } from "../journal/refuse-other-owner.ts";
export { recoverFileKeySchema } from "../keys/file-keys/recover-file-key.ts";
export { ownerCallSchema } from "../keys/nodes/owner-call.ts";
export { watchWallets } from "../network/ethereum/eip-6963.ts";
export { requestApi } from "../network/http/api-client.ts";
export { watchIdle } from "../network/http/idle.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { getPriceOperation } from "../payment/storage-price.ts";
export type { JournalStore, SourceFile } from "../platform/types.ts";
export { isKnown } from "../storage/files/is-known.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export type { UploadState } from "../storage/upload/journal-entry.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { refusalStatus } from "../storage/upload/refusal-codes.ts";
export { relay } from "../storage/upload/relay.ts";
export { copySource, listSourceFiles } from "../storage/upload/source.ts";
export { uploadWithHeaders } from "../storage/upload/upload.ts";
export { uploadCarWithHeaders } from "../storage/upload/upload-car.ts";
export { uploadEncryptedSchema, uploadEncryptedWithHeaders } from "../storage/upload/upload-encrypted.ts";
export { createFileCipher, type FileCipher, measureDerivation } from "./file-cipher.ts";
export { getPayments, openEntries } from "./journals.ts";
export { getOwnerAddress, openByKeys } from "./keys.ts";
export { normalizeCid } from "./normalize-cid.ts";
export { hashFolder, sendFolder } from "./send-folder.ts";
export { uploadKeysFirst } from "./upload-keys-first.ts";
export { createUploadSteps, isStoredAs } from "./upload-steps.ts";
