// Building blocks for packages on top of this one. They follow the package's version, not the promises of the main entry:
// a minor release may change them. What needs a disk is in `keeplight/parts/node`.

export { absolutePath, derivationsAtOnce, gcm, journalStore, pbkdf2 } from "#platform";
// Time, order and bytes.
export { throwIfAborted, untilAborted, wait } from "../base/async/abort.ts";
export { forEachUntilAborted } from "../base/async/for-each.ts";
export { mapInOrder } from "../base/async/map-in-order.ts";
export { notify } from "../base/async/notify.ts";
export { queued } from "../base/async/queue.ts";
// A call's options: their schema, checked, copied and resolved once.
export { boolean, callback, nonEmpty, optional, reference, signal, unchecked, wholeNumber } from "../base/checks.ts";
export type { ResolvedEndpoints } from "../base/config/endpoints.ts";
export { JOURNAL_WAIT_MS, KEY_NODE_COUNT, LIST_RESPONSE_BYTES, TRANSFER_TIMEOUT_MS } from "../base/config/limits.ts";
export { copyInput } from "../base/copy-input.ts";
export { copyOptions } from "../base/copy-options.ts";
// Errors, each with its code and details.
export { KeeplightError } from "../base/errors/base.ts";
export { cannotDecrypt } from "../base/errors/crypto.ts";
export {
  duplicateName,
  invalidOption,
  invalidSource,
  missingKitProvider,
  notAJwt,
  unsupported,
  uploadTooLarge,
} from "../base/errors/input.ts";
export { entryBusy, journalBusy } from "../base/errors/journal.ts";
export { shardsNotSaved } from "../base/errors/nodes.ts";
export { unknownWalletChain } from "../base/errors/payment.ts";
export { printable } from "../base/errors/printable.ts";
export { cannotWrite, sourceChanged, sourceUnreadable } from "../base/errors/source.ts";
export { aborted, idleTooLong, invalidResponse, timedOut } from "../base/errors/transport.ts";
export {
  type Check,
  isOptions,
  type OptionSchema,
  pickOptions,
  type Resolved,
  resolveChanges,
  resolveOptions,
} from "../base/operation.ts";
export {
  bearerSchema,
  callSchema,
  checkToken,
  mixedSchema,
  type Optional,
  type ResolvedCall,
  requireApiKey,
  resolveCall,
} from "../base/options.ts";
// State that all copies of a package in a process have in common.
export { shared } from "../base/shared.ts";
export { concatBytes } from "../base/streams/bytes.ts";
export { toChunks } from "../base/streams/chunks.ts";
// Signers and wallets.
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/eip-1193.ts";
export { createProviderSigner, resolveSigner } from "../base/validation/resolve-signer.ts";
export { isObject } from "../base/validation/schema.ts";
// Content ids: compute them, read them, compare them.
export { checkCid } from "../formats/cid/check-cid.ts";
export { formatCid } from "../formats/cid/content-id.ts";
export type { Link } from "../formats/cid/dag-pb.ts";
export { hashFile } from "../formats/cid/file.ts";
export { planFolders } from "../formats/cid/folder.ts";
// The encrypted file, and the ciphers of this runtime.
export { encryptChunks } from "../formats/crypto/encrypt.ts";
export {
  encryptedSize,
  HEADER_BYTES,
  OVERHEAD_BYTES,
  PBKDF2_ITERATIONS,
  SALT_BYTES,
} from "../formats/crypto/file-format.ts";
export { deriveFileKey } from "../formats/crypto/master-key.ts";
export { createTailBuffer } from "../formats/crypto/tail-buffer.ts";
// The journal: entries, sealed, each with one owner at a time.
export { createEntries, type Entries, type Entry } from "../journal/entries.ts";
export { getEntries, getQueue } from "../journal/handle.ts";
export { createId } from "../journal/ids.ts";
export { openJournalKey } from "../journal/journal-key.ts";
export type { QueuedBatch, QueuedFile, QueuedPlace } from "../journal/queue.ts";
export { isSameAddress, refuseOtherOwner } from "../journal/refuse-other-owner.ts";
export { resolveOwner } from "../keys/auth/owner.ts";
// Keys of files at the five nodes.
export { recoverFileKeySchema, searchFileKey } from "../keys/file-keys/recover-file-key.ts";
export { saveKeys } from "../keys/file-keys/save-keys.ts";
export { openKeyNodes } from "../keys/nodes/node-client.ts";
export { ownerCallSchema } from "../keys/nodes/owner-call.ts";
export { formatBlockId } from "../network/blocks/block-id.ts";
export { parseBlockId } from "../network/blocks/find-file.ts";
export { watchWallets } from "../network/ethereum/eip-6963.ts";
// Requests: to the API host, and uploads with the headers and to the host that a caller names.
export { requestApi } from "../network/http/api-client.ts";
export { watchIdle } from "../network/http/idle.ts";
// Prices and payments.
export { byteCount, networkSchema, rateSchema } from "../payment/options.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { computePrice } from "../payment/price.ts";
export { hasAttempts } from "../payment/run/ongoing-payment.ts";
export type { PaymentRecord } from "../payment/run/payment-record.ts";
export { IV_BYTES, TAG_BYTES } from "../platform/aes-gcm/gcm.ts";
export type { JournalStore, OwnedEntry, SourceFile } from "../platform/types.ts";
export { isKnown } from "../storage/files/is-known.ts";
export { loadOnDemand } from "../storage/load-on-demand.ts";
export { createProgress, UPLOAD_STAGES } from "../storage/progress.ts";
// The steps of an encrypted upload, each of which another process may continue.
export { locateFile, restoreAttempt } from "../storage/resume/locate-file.ts";
export { deriveOnce, encryptFiles, type FileKey, generateKeys } from "../storage/upload/encrypt-files.ts";
export { restoreExpected } from "../storage/upload/encrypted-cids.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export { confirmStored, finishUpload, sendAndFinish } from "../storage/upload/finish-upload.ts";
export { createUploadEntry, type FileState, type UploadState } from "../storage/upload/journal-entry.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { isRefusalCode, refusalStatus } from "../storage/upload/refusal-codes.ts";
export { relay } from "../storage/upload/relay.ts";
export type { Attempt } from "../storage/upload/save-upload-keys.ts";
export { resolveRoute, send } from "../storage/upload/send.ts";
export { sendEncrypted } from "../storage/upload/send-encrypted.ts";
export { copySource, encodeUtf8, listSourceFiles } from "../storage/upload/source.ts";
export { uploadWithHeaders } from "../storage/upload/upload.ts";
export type { Headers, Route } from "../storage/upload/upload-access.ts";
export { uploadCarWithHeaders } from "../storage/upload/upload-car.ts";
export {
  prepareAttempt,
  type ResolvedUpload,
  uploadEncryptedSchema,
  uploadEncryptedWithHeaders,
} from "../storage/upload/upload-encrypted.ts";
export { type AttemptCids, selectFiles, type UploadEntry } from "../storage/upload/upload-entry.ts";
export { readUploadResponse } from "../storage/upload/upload-response.ts";
export { createVerifiedUpload, type VerifiedUpload } from "../storage/upload/verify-upload.ts";
