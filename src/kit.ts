import { explainConditions } from "./access-conditions/explain.ts";
import { simulateConditions } from "./access-conditions/simulate.ts";
import { createApiKey, createApiKeyNames, getAuthMessage } from "./account/api-key.ts";
import { messageNames } from "./account/message.ts";
import { createOneTimeToken, getOneTimeMessage, oneTimeTokenNames } from "./account/one-time-token.ts";
import { getBalance } from "./account/usage.ts";
import { createWallet, createWalletNames } from "./account/wallet.ts";
import { decryptBytes, encryptBytes } from "./crypto/bytes.ts";
import { commitToKey } from "./crypto/commit-to-key.ts";
import { getDealStatus } from "./files/deal-status.ts";
import { deleteFile } from "./files/delete.ts";
import { getFileInfo } from "./files/info.ts";
import { iterateFiles, iterateFilesNames, listFiles, listFilesNames } from "./files/list.ts";
import { pinCid, pinNames } from "./files/pin.ts";
import { readEncryptedFolder } from "./folders/read-encrypted-folder.ts";
import { readEncryptedFolderNames } from "./folders/read-folder-options.ts";
import { revokeEncryptedFolder, revokeFolderNames } from "./folders/revoke-encrypted-folder.ts";
import { shareEncryptedFolder, shareFolderNames } from "./folders/share-encrypted-folder.ts";
import { uploadEncryptedFolder } from "./folders/upload-encrypted-folder.ts";
import { ipnsGenerateKey, ipnsRemoveKey } from "./ipns/keys.ts";
import { ipnsListRecords, ipnsPublishNames, ipnsPublishRecord } from "./ipns/records.ts";
import { journalOptionNames } from "./journal/handle.ts";
import { kavachGetAccessConditions } from "./kavach/access/get-access-conditions.ts";
import { kavachRevoke, revokeNames } from "./kavach/access/revoke.ts";
import { kavachSetAccessConditions, setAccessConditionsNames } from "./kavach/access/set-access-conditions.ts";
import { kavachSetDelegates } from "./kavach/access/set-delegates.ts";
import { kavachShare, shareNames } from "./kavach/access/share.ts";
import { kavachTransferOwnership, transferOwnershipNames } from "./kavach/access/transfer-ownership.ts";
import {
  getJwtNames,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRefreshJwt,
  nodeMessageNames,
  refreshJwtNames,
} from "./kavach/auth/auth-calls.ts";
import { ownerOptionNames } from "./kavach/auth/owner.ts";
import { kavachInspect } from "./kavach/keys/inspect.ts";
import { recoverFileKeyNames } from "./kavach/keys/recover-file-key.ts";
import { kavachRecoverShards, recoverShardsNames } from "./kavach/keys/recover-shards.ts";
import { kavachRepair, repairNames } from "./kavach/keys/repair.ts";
import { kavachSaveShards, saveShardsNames } from "./kavach/keys/save-shards.ts";
import { keyNodeOptionNames, resolveKeyNodes } from "./kavach/nodes/node-client.ts";
import { ownerChangeNames } from "./kavach/nodes/owner-call.ts";
import { kavachGenerate, kavachShardKey } from "./kavach/shards/generate.ts";
import { kavachRecoverKey } from "./kavach/shards/recover.ts";
import {
  type AccountDefaults,
  createBinders,
  type KitDefaults,
  type KitOptions,
  type NoUnknown,
  type OutputCall,
} from "./kit-binders.ts";
import { bearerOptionNames, callOptionNames } from "./options.ts";
import { waitForCredit } from "./payment/credit/wait-for-credit.ts";
import { estimatePayment } from "./payment/estimate/estimate-payment.ts";
import { payWithToken } from "./payment/pay.ts";
import { getQuote, quoteOptionNames } from "./payment/quote.ts";
import { listPayments } from "./payment/receipts/list-payments.ts";
import { verifyPayment } from "./payment/receipts/verify-payment.ts";
import { getPrice, getPriceNames } from "./payment/storage-price.ts";
import { getTicker } from "./payment/ticker.ts";
import { getProof } from "./proof/get-proof.ts";
import { verifyProof } from "./proof/verify-proof.ts";
import { createRecoveryIdentity } from "./recovery/identity.ts";
import type { RecoveryKitOptions } from "./recovery/kit-options.ts";
import { type MakeRecoveryKit, makeRecoveryKit, recoveryKitNames } from "./recovery/make-kit.ts";
import { openRecoveryKit } from "./recovery/open-kit.ts";
import { makeRecoveryPages, restoreRecoveryIdentity } from "./recovery/pages.ts";
import { createShareLink, openShareLink, shareLinkNames } from "./recovery/share-link.ts";
import { recoveryNames } from "./recovery-file/recorder-options.ts";
import { type DecryptOptions, decrypt, decryptNames } from "./transfer/download/decrypt.ts";
import { download, downloadNames } from "./transfer/download/download.ts";
import { listFolder, listFolderNames } from "./transfer/download/list-folder.ts";
import { openEncrypted, openEncryptedNames } from "./transfer/download/open-encrypted.ts";
import { openFile, openFileNames } from "./transfer/download/open-file.ts";
import { uploadEncryptedNames } from "./transfer/upload/encrypted-upload-options.ts";
import { uploadFolderNames } from "./transfer/upload/folder-options.ts";
import { upload, uploadBuffer, uploadOptionNames, uploadText } from "./transfer/upload/upload.ts";
import { uploadCar, uploadCarNames } from "./transfer/upload/upload-car.ts";
import { uploadEncrypted, uploadTextEncrypted } from "./transfer/upload/upload-encrypted.ts";
import { checkOptions } from "./validation/check-options.ts";
import { pinSigner } from "./validation/pin-signer.ts";

const kitDefaultNames = [
  bearerOptionNames,
  keyNodeOptionNames,
  ownerOptionNames,
  recoveryNames,
  journalOptionNames,
  "via",
] as const;

/** Returns all calls with these defaults bound: each with a list of the names of the options that it accepts. */
function bindCalls<Defaults extends KitDefaults>(defaults: Defaults) {
  const { bind, bindOptions } = createBinders(defaults);
  return Object.freeze({
    // Calls that use nothing of the network: unchanged.
    commitToKey,
    createRecoveryIdentity,
    makeRecoveryPages,
    restoreRecoveryIdentity,
    decryptBytes,
    encryptBytes,
    explainConditions,
    kavachGenerate,
    kavachRecoverKey,
    kavachShardKey,
    openRecoveryKit,
    openShareLink,
    simulateConditions,
    verifyProof,

    // Calls with a first argument besides their options. Binders do not see overloads, hence the two assertions.
    createShareLink: bind(createShareLink, shareLinkNames),
    createWallet: bind(createWallet, createWalletNames),
    decrypt: bind(decrypt, decryptNames) as OutputCall<KitOptions<DecryptOptions, Defaults>>,
    deleteFile: bind(deleteFile, bearerOptionNames),
    download: bind(download, downloadNames) as typeof download,
    getAuthMessage: bind(getAuthMessage, messageNames),
    getDealStatus: bind(getDealStatus, callOptionNames),
    getFileInfo: bind(getFileInfo, callOptionNames),
    getOneTimeMessage: bind(getOneTimeMessage, messageNames),
    getPrice: bind(getPrice, getPriceNames),
    getProof: bind(getProof, callOptionNames),
    getQuote: bind(getQuote, quoteOptionNames),
    getTicker: bind(getTicker, callOptionNames),
    ipnsRemoveKey: bind(ipnsRemoveKey, bearerOptionNames),
    kavachGetAccessConditions: bind(kavachGetAccessConditions, keyNodeOptionNames),
    kavachGetAuthMessage: bind(kavachGetAuthMessage, nodeMessageNames),
    kavachGetJwt: bind(kavachGetJwt, getJwtNames),
    kavachInspect: bind(kavachInspect, recoverFileKeyNames),
    kavachRecoverShards: bind(kavachRecoverShards, recoverShardsNames),
    kavachRefreshJwt: bind(kavachRefreshJwt, refreshJwtNames),
    kavachRepair: bind(kavachRepair, repairNames),
    kavachRevoke: bind(kavachRevoke, revokeNames),
    kavachSaveShards: bind(kavachSaveShards, saveShardsNames),
    kavachSetAccessConditions: bind(kavachSetAccessConditions, setAccessConditionsNames),
    kavachSetDelegates: bind(kavachSetDelegates, ownerChangeNames),
    kavachShare: bind(kavachShare, shareNames),
    kavachTransferOwnership: bind(kavachTransferOwnership, transferOwnershipNames),
    makeRecoveryKit: bind(makeRecoveryKit, recoveryKitNames) as MakeRecoveryKit<
      KitOptions<RecoveryKitOptions, Defaults>
    >,
    listFolder: bind(listFolder, listFolderNames),
    listPayments: bind(listPayments, callOptionNames),
    openEncrypted: bind(openEncrypted, openEncryptedNames),
    openFile: bind(openFile, openFileNames),
    pinCid: bind(pinCid, pinNames),
    readEncryptedFolder: bind(readEncryptedFolder, readEncryptedFolderNames),
    revokeEncryptedFolder: bind(revokeEncryptedFolder, revokeFolderNames),
    shareEncryptedFolder: bind(shareEncryptedFolder, shareFolderNames),
    upload: bind(upload, uploadOptionNames),
    uploadBuffer: bind(uploadBuffer, uploadOptionNames),
    uploadCar: bind(uploadCar, uploadCarNames),
    uploadEncrypted: bind(uploadEncrypted, uploadEncryptedNames),
    uploadEncryptedFolder: bind(uploadEncryptedFolder, uploadFolderNames),
    uploadText: bind(uploadText, uploadOptionNames),
    uploadTextEncrypted: bind(uploadTextEncrypted, uploadEncryptedNames),
    verifyPayment: bind(verifyPayment, callOptionNames),
    waitForCredit: bind(waitForCredit, bearerOptionNames),

    // Calls with options only.
    createApiKey: bindOptions(createApiKey, createApiKeyNames),
    createOneTimeToken: bindOptions(createOneTimeToken, oneTimeTokenNames),
    getBalance: bindOptions(getBalance, bearerOptionNames),
    ipnsGenerateKey: bindOptions(ipnsGenerateKey, bearerOptionNames),
    ipnsListRecords: bindOptions(ipnsListRecords, bearerOptionNames),
    ipnsPublishRecord: bindOptions(ipnsPublishRecord, ipnsPublishNames),
    iterateFiles: bindOptions(iterateFiles, iterateFilesNames),
    listFiles: bindOptions(listFiles, listFilesNames),
    // Neither `address` nor `signer`: what owns files does not pay unless the call names it.
    estimatePayment: bindOptions(estimatePayment, callOptionNames) as typeof estimatePayment,
    // Not `signer`: what signs messages does not pay unless the call names it.
    payWithToken: bindOptions(payWithToken, [callOptionNames, journalOptionNames]) as typeof payWithToken,
  });
}

/**
 * The kit's functions, those that use the network with `Defaults` bound: an API key and a signer, unless the type says
 * otherwise. Nothing that may be undefined counts as bound, and so nothing is in a `Kit<KitDefaults>`.
 */
export type Kit<Defaults extends KitDefaults = AccountDefaults> = {
  readonly [Name in keyof BoundCalls<Defaults>]: BoundCalls<Defaults>[Name];
};

type BoundCalls<Defaults extends KitDefaults> = ReturnType<typeof bindCalls<Defaults>>;

/**
 * Returns the same functions with these options as their defaults, each with those that it accepts. Options of a call
 * take precedence; an owner (`signer`, or `address` and `authToken`) is replaced as a whole. What is bound is no longer
 * required: with `{ apiKey }` uploads need no key, with `{ apiKey, signer }` encrypted ones need no owner either. A
 * payment requires its own `signer` or `privateKey`. A kit keeps the account that a wallet shared first, also when its
 * user switches to another one.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const kit = createKit({ apiKey, signer });
 * const [file] = await kit.uploadEncrypted("./secret.pdf");
 */
export function createKit<Defaults extends KitDefaults>(defaults: Defaults & NoUnknown<Defaults>): Kit<Defaults>;
export function createKit(defaults?: KitDefaults): Kit<KitDefaults>;
export function createKit(defaults: KitDefaults = {}): Kit<KitDefaults> {
  defaults = checkOptions(defaults, kitDefaultNames);
  resolveKeyNodes(defaults);
  const { signer } = defaults;
  return bindCalls(signer === undefined ? defaults : { ...defaults, signer: pinSigner(signer) });
}
