import { explainConditions } from "./access-conditions/explain.ts";
import { simulateConditions } from "./access-conditions/simulate.ts";
import { createApiKey, createApiKeyNames, getAuthMessage } from "./account/api-key.ts";
import { createOneTimeToken, getOneTimeMessage, oneTimeTokenNames } from "./account/one-time-token.ts";
import { getBalance } from "./account/usage.ts";
import { createWallet, createWalletNames } from "./account/wallet.ts";
import { decryptBytes, encryptBytes } from "./crypto/bytes.ts";
import { getDealStatus } from "./files/deal-status.ts";
import { deleteFile } from "./files/delete.ts";
import { getFileInfo } from "./files/info.ts";
import { iterateFiles, listFiles, listFilesNames } from "./files/list.ts";
import { ipnsGenerateKey, ipnsRemoveKey } from "./ipns/keys.ts";
import { ipnsListRecords, ipnsPublishNames, ipnsPublishRecord } from "./ipns/records.ts";
import { kavachGetAccessConditions } from "./kavach/access/get-access-conditions.ts";
import { kavachRevoke, revokeNames } from "./kavach/access/revoke.ts";
import { kavachSetAccessConditions, setAccessConditionsNames } from "./kavach/access/set-access-conditions.ts";
import { kavachShare, shareNames } from "./kavach/access/share.ts";
import { kavachTransferOwnership, transferOwnershipNames } from "./kavach/access/transfer-ownership.ts";
import {
  getJwtNames,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRefreshJwt,
  refreshJwtNames,
} from "./kavach/auth/auth-calls.ts";
import { type OwnerOptions, ownerOptionNames } from "./kavach/auth/owner.ts";
import { kavachInspect } from "./kavach/keys/inspect.ts";
import { recoverFileKeyNames } from "./kavach/keys/recover-file-key.ts";
import { kavachRecoverShards, recoverShardsNames } from "./kavach/keys/recover-shards.ts";
import { kavachRepair } from "./kavach/keys/repair.ts";
import { kavachSaveShards, saveShardsNames } from "./kavach/keys/save-shards.ts";
import { type KeyNodeOptions, keyNodeOptionNames } from "./kavach/nodes/node-client.ts";
import { changedOptions } from "./kavach/nodes/resumed-options.ts";
import { kavachGenerate, kavachShardKey } from "./kavach/shards/generate.ts";
import { kavachRecoverKey } from "./kavach/shards/recover.ts";
import { type BearerOptions, bearerOptionNames, callOptionNames, resolveCall } from "./options.ts";
import { payWithToken } from "./payment/pay.ts";
import { getQuote, quoteOptionNames } from "./payment/quote.ts";
import { getPrice, getPriceNames } from "./payment/storage-price.ts";
import { getTicker } from "./payment/ticker.ts";
import { getProof } from "./proof/get-proof.ts";
import { verifyProof } from "./proof/verify-proof.ts";
import { decrypt, decryptNames } from "./transfer/download/decrypt.ts";
import { download, downloadNames } from "./transfer/download/download.ts";
import { uploadEncryptedNames } from "./transfer/upload/encrypted-upload-options.ts";
import { upload, uploadBuffer, uploadOptionNames, uploadText } from "./transfer/upload/upload.ts";
import { uploadCar, uploadCarNames } from "./transfer/upload/upload-car.ts";
import { uploadEncrypted, uploadTextEncrypted } from "./transfer/upload/upload-encrypted.ts";
import { checkOptions, isOptions, type OptionNames, pickOptions } from "./validation/check-options.ts";

/** Calls with a first argument besides their options, and the names of the options to bind. */
const subjectActions = {
  createWallet: [createWallet, createWalletNames],
  decrypt: [decrypt, decryptNames],
  deleteFile: [deleteFile, bearerOptionNames],
  download: [download, downloadNames],
  getAuthMessage: [getAuthMessage, callOptionNames],
  getDealStatus: [getDealStatus, callOptionNames],
  getFileInfo: [getFileInfo, callOptionNames],
  getOneTimeMessage: [getOneTimeMessage, callOptionNames],
  getPrice: [getPrice, getPriceNames],
  getProof: [getProof, callOptionNames],
  getQuote: [getQuote, quoteOptionNames],
  getTicker: [getTicker, callOptionNames],
  ipnsRemoveKey: [ipnsRemoveKey, bearerOptionNames],
  kavachGetAccessConditions: [kavachGetAccessConditions, keyNodeOptionNames],
  kavachGetAuthMessage: [kavachGetAuthMessage, keyNodeOptionNames],
  kavachGetJwt: [kavachGetJwt, getJwtNames],
  kavachInspect: [kavachInspect, recoverFileKeyNames],
  kavachRecoverShards: [kavachRecoverShards, recoverShardsNames],
  kavachRefreshJwt: [kavachRefreshJwt, refreshJwtNames],
  kavachRepair: [kavachRepair, recoverFileKeyNames],
  kavachRevoke: [kavachRevoke, revokeNames],
  kavachSaveShards: [kavachSaveShards, saveShardsNames],
  kavachSetAccessConditions: [kavachSetAccessConditions, setAccessConditionsNames],
  kavachShare: [kavachShare, shareNames],
  kavachTransferOwnership: [kavachTransferOwnership, transferOwnershipNames],
  upload: [upload, uploadOptionNames],
  uploadBuffer: [uploadBuffer, uploadOptionNames],
  uploadCar: [uploadCar, uploadCarNames],
  uploadEncrypted: [uploadEncrypted, uploadEncryptedNames],
  uploadText: [uploadText, uploadOptionNames],
  uploadTextEncrypted: [uploadTextEncrypted, uploadEncryptedNames],
} as const;

/** Calls with options only, and the names of the options to bind. */
const accountActions = {
  createApiKey: [createApiKey, createApiKeyNames],
  createOneTimeToken: [createOneTimeToken, oneTimeTokenNames],
  getBalance: [getBalance, bearerOptionNames],
  ipnsGenerateKey: [ipnsGenerateKey, bearerOptionNames],
  ipnsListRecords: [ipnsListRecords, bearerOptionNames],
  ipnsPublishRecord: [ipnsPublishRecord, ipnsPublishNames],
  iterateFiles: [iterateFiles, listFilesNames],
  listFiles: [listFiles, listFilesNames],
  // Not `signer`: what signs messages does not pay unless the call names it.
  payWithToken: [payWithToken, callOptionNames],
} as const;

/** Calls that need no account and no service of the network: unchanged in the kit. */
const localActions = {
  decryptBytes,
  encryptBytes,
  explainConditions,
  kavachGenerate,
  kavachRecoverKey,
  kavachShardKey,
  simulateConditions,
  verifyProof,
};

type AccountAction = (options: object) => unknown;
type SubjectAction = (subject: never, options: object) => unknown;
type CallsOf<Rows extends Readonly<Record<string, readonly [unknown, OptionNames]>>> = {
  [Name in keyof Rows]: Rows[Name][0];
};

/** Options to bind; see {@link createKit}. */
export type KitDefaults = BearerOptions & KeyNodeOptions & OwnerOptions;

const kitDefaultNames = [bearerOptionNames, keyNodeOptionNames, ownerOptionNames] as const;

/** The kit's functions, those that use the network with defaults bound. */
export type Kit = Readonly<typeof localActions & CallsOf<typeof subjectActions> & CallsOf<typeof accountActions>>;

/**
 * Returns the same functions with these options as their defaults, each with those that it accepts. Options of a call
 * take precedence; an owner (`signer`, or `address` and `authToken`) is replaced as a whole. A payment requires its own
 * `signer` or `privateKey`.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const kit = createKit({ apiKey, signer });
 * const [file] = await kit.uploadEncrypted("./secret.pdf");
 */
export function createKit(defaults: KitDefaults = {}): Kit {
  checkOptions(defaults, kitDefaultNames);
  resolveCall(defaults);
  const bind = (names: OptionNames) => {
    const bound = pickOptions(defaults, names);
    // The call itself refuses anything but options.
    return (options: object = {}) => (isOptions(options) ? changedOptions(bound, options) : options);
  };
  const calls = Object.fromEntries([
    ...Object.entries(localActions),
    ...Object.entries(subjectActions).map(([name, [call, names]]) => {
      const merge = bind(names);
      return [name, (subject: never, options?: object) => (call as SubjectAction)(subject, merge(options))];
    }),
    ...Object.entries(accountActions).map(([name, [call, names]]) => {
      const merge = bind(names);
      return [name, (options?: object) => (call as AccountAction)(merge(options))];
    }),
  ]);
  return Object.freeze(calls) as Kit;
}
