import { createApiKey, createApiKeyNames, getAuthMessage } from "./account/api-key.ts";
import { createOneTimeToken, getOneTimeMessage, oneTimeTokenNames } from "./account/one-time-token.ts";
import { createWallet, createWalletNames } from "./account/wallet.ts";
import { decryptBytes, encryptBytes } from "./crypto/bytes.ts";
import { checkOptions, isOptions, type OptionNames, pickOptions } from "./input/check-options.ts";
import { ipnsGenerateKey, ipnsRemoveKey } from "./ipns/keys.ts";
import { ipnsListRecords, ipnsPublishNames, ipnsPublishRecord } from "./ipns/records.ts";
import { changedOptions } from "./kavach/all-nodes.ts";
import { getJwtNames, kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt, refreshJwtNames } from "./kavach/auth.ts";
import { explainConditions } from "./kavach/conditions/explain.ts";
import { simulateConditions } from "./kavach/conditions/simulate.ts";
import { kavachGetAccessConditions } from "./kavach/get-access-conditions.ts";
import { kavachInspect } from "./kavach/inspect.ts";
import { type KeyNodeOptions, keyNodeOptionNames } from "./kavach/node-client.ts";
import { type OwnerOptions, ownerOptionNames } from "./kavach/owner.ts";
import { recoverFileKeyNames } from "./kavach/recover-file-key.ts";
import { kavachRecoverShards, recoverShardsNames } from "./kavach/recover-shards.ts";
import { kavachRepair } from "./kavach/repair.ts";
import { kavachRevoke, revokeNames } from "./kavach/revoke.ts";
import { kavachSaveShards, saveShardsNames } from "./kavach/save-shards.ts";
import { kavachSetAccessConditions, setAccessConditionsNames } from "./kavach/set-access-conditions.ts";
import { kavachGenerate, kavachShardKey } from "./kavach/shards/generate.ts";
import { kavachRecoverKey } from "./kavach/shards/recover.ts";
import { kavachShare, shareNames } from "./kavach/share.ts";
import { kavachTransferOwnership, transferOwnershipNames } from "./kavach/transfer-ownership.ts";
import { type BearerOptions, bearerOptionNames, callOptionNames, resolveCall } from "./options.ts";
import { payOptionNames, payWithToken } from "./payment/pay.ts";
import { getTicker } from "./payment/ticker.ts";
import { verifyProof } from "./proof/verify-proof.ts";
import { getDealStatus } from "./storage/deal-status.ts";
import { decrypt, decryptNames } from "./storage/decrypt.ts";
import { deleteFile } from "./storage/delete-file.ts";
import { download, downloadNames } from "./storage/download.ts";
import { uploadEncryptedNames } from "./storage/encrypted-upload-options.ts";
import { getFileInfo } from "./storage/file-info.ts";
import { iterateFiles, listFiles, listFilesNames } from "./storage/list-files.ts";
import { getPrice, getPriceNames } from "./storage/price.ts";
import { getProof } from "./storage/proof.ts";
import { getQuote, quoteOptionNames } from "./storage/quote.ts";
import { upload, uploadBuffer, uploadOptionNames, uploadText } from "./storage/upload.ts";
import { uploadCar, uploadCarNames } from "./storage/upload-car.ts";
import { uploadEncrypted, uploadTextEncrypted } from "./storage/upload-encrypted.ts";
import { getBalance } from "./storage/usage.ts";

/** Calls whose first argument is what they act on, with the names of their options. */
const onSubject = {
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

/** Calls that take options only, with the names of these. */
const withoutSubject = {
  createApiKey: [createApiKey, createApiKeyNames],
  createOneTimeToken: [createOneTimeToken, oneTimeTokenNames],
  getBalance: [getBalance, bearerOptionNames],
  ipnsGenerateKey: [ipnsGenerateKey, bearerOptionNames],
  ipnsListRecords: [ipnsListRecords, bearerOptionNames],
  ipnsPublishRecord: [ipnsPublishRecord, ipnsPublishNames],
  iterateFiles: [iterateFiles, listFilesNames],
  listFiles: [listFiles, listFilesNames],
  payWithToken: [payWithToken, payOptionNames],
} as const;

/** Calls that need no account and no service of the network: in the kit as they are. */
const asTheyAre = {
  decryptBytes,
  encryptBytes,
  explainConditions,
  kavachGenerate,
  kavachRecoverKey,
  kavachShardKey,
  simulateConditions,
  verifyProof,
};

type WithoutSubject = (options: object) => unknown;
type OnSubject = (subject: never, options: object) => unknown;
type CallsOf<Rows extends Readonly<Record<string, readonly [unknown, OptionNames]>>> = {
  [Name in keyof Rows]: Rows[Name][0];
};

/** Options to bind; see {@link createKit}. */
export type KitDefaults = BearerOptions & KeyNodeOptions & OwnerOptions;

const kitDefaultNames = [bearerOptionNames, keyNodeOptionNames, ownerOptionNames] as const;

/** The kit's functions, those that reach the network with defaults bound. */
export type Kit = Readonly<typeof asTheyAre & CallsOf<typeof onSubject> & CallsOf<typeof withoutSubject>>;

/**
 * The same functions with these options as their defaults, each with those that it takes. What a call gives itself
 * goes first; an owner (`signer`, or `address` and `authToken`) is replaced as a whole.
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
    // What are no options is refused by the call itself.
    return (options: object = {}) => (isOptions(options) ? changedOptions(bound, options) : options);
  };
  const calls = Object.fromEntries([
    ...Object.entries(asTheyAre),
    ...Object.entries(onSubject).map(([name, [call, names]]) => {
      const merge = bind(names);
      return [name, (subject: never, options?: object) => (call as OnSubject)(subject, merge(options))];
    }),
    ...Object.entries(withoutSubject).map(([name, [call, names]]) => {
      const merge = bind(names);
      return [name, (options?: object) => (call as WithoutSubject)(merge(options))];
    }),
  ]);
  return Object.freeze(calls) as Kit;
}
