import { createApiKey, getAuthMessage } from "./account/api-key.ts";
import { createOneTimeToken, getOneTimeMessage } from "./account/one-time-token.ts";
import { createWallet } from "./account/wallet.ts";
import { decryptBytes, encryptBytes } from "./crypto/bytes.ts";
import { ipnsGenerateKey, ipnsRemoveKey } from "./ipns/keys.ts";
import { ipnsListRecords, ipnsPublishRecord } from "./ipns/records.ts";
import { changedOptions } from "./kavach/all-nodes.ts";
import { kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt } from "./kavach/auth.ts";
import { explainConditions } from "./kavach/conditions/explain.ts";
import { simulateConditions } from "./kavach/conditions/simulate.ts";
import { kavachGetAccessConditions } from "./kavach/get-access-conditions.ts";
import { kavachInspect } from "./kavach/inspect.ts";
import type { KeyNodeOptions } from "./kavach/node-client.ts";
import type { OwnerOptions } from "./kavach/owner.ts";
import { kavachRecoverShards } from "./kavach/recover-shards.ts";
import { kavachRepair } from "./kavach/repair.ts";
import { kavachRevoke } from "./kavach/revoke.ts";
import { kavachSaveShards } from "./kavach/save-shards.ts";
import { kavachSetAccessConditions } from "./kavach/set-access-conditions.ts";
import { kavachGenerate, kavachShardKey } from "./kavach/shards/generate.ts";
import { kavachRecoverKey } from "./kavach/shards/recover.ts";
import { kavachShare } from "./kavach/share.ts";
import { kavachTransferOwnership } from "./kavach/transfer-ownership.ts";
import type { BearerOptions } from "./options.ts";
import { payWithToken } from "./payment/pay.ts";
import { getTicker } from "./payment/ticker.ts";
import { verifyProof } from "./proof/verify-proof.ts";
import { getDealStatus } from "./storage/deal-status.ts";
import { decrypt } from "./storage/decrypt.ts";
import { deleteFile } from "./storage/delete-file.ts";
import { download } from "./storage/download.ts";
import { getFileInfo } from "./storage/file-info.ts";
import { iterateFiles, listFiles } from "./storage/list-files.ts";
import { getPrice } from "./storage/price.ts";
import { getProof } from "./storage/proof.ts";
import { getQuote } from "./storage/quote.ts";
import { upload, uploadBuffer, uploadText } from "./storage/upload.ts";
import { uploadCar } from "./storage/upload-car.ts";
import { uploadEncrypted, uploadTextEncrypted } from "./storage/upload-encrypted.ts";
import { getBalance } from "./storage/usage.ts";

/** Calls whose first argument is what they act on. */
const onSubject = {
  createWallet,
  decrypt,
  deleteFile,
  download,
  getAuthMessage,
  getDealStatus,
  getFileInfo,
  getOneTimeMessage,
  getPrice,
  getProof,
  getQuote,
  getTicker,
  ipnsRemoveKey,
  kavachGetAccessConditions,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachInspect,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  upload,
  uploadBuffer,
  uploadCar,
  uploadEncrypted,
  uploadText,
  uploadTextEncrypted,
};

/** Calls that take options only. */
const withoutSubject = {
  createApiKey,
  createOneTimeToken,
  getBalance,
  ipnsGenerateKey,
  ipnsListRecords,
  ipnsPublishRecord,
  iterateFiles,
  listFiles,
  payWithToken,
};

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

/** Options to bind; see {@link createKit}. */
export type KitDefaults = BearerOptions & KeyNodeOptions & OwnerOptions;

/** The kit's functions, those that reach the network with defaults bound. */
export type Kit = Readonly<typeof asTheyAre & typeof onSubject & typeof withoutSubject>;

/**
 * The same functions with these options as their defaults. What a call gives itself goes first; an owner
 * (`signer`, or `address` and `authToken`) is replaced as a whole.
 *
 * @example
 * const kit = createKit({ apiKey, signer });
 * const [file] = await kit.uploadEncrypted("./secret.pdf");
 */
export function createKit(defaults: KitDefaults = {}): Kit {
  const merge = (options: object = {}) => changedOptions(defaults, options);
  const bound = Object.fromEntries([
    ...Object.entries(asTheyAre),
    ...Object.entries(onSubject).map(([name, call]) => [
      name,
      (subject: never, options?: object) => (call as OnSubject)(subject, merge(options)),
    ]),
    ...Object.entries(withoutSubject).map(([name, call]) => [
      name,
      (options?: object) => (call as WithoutSubject)(merge(options)),
    ]),
  ]);
  return Object.freeze(bound) as Kit;
}
