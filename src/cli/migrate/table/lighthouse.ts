import { toAggregator, toChainType, toConditions } from "../arguments/conditions.ts";
import { toAddresses, toFileName, toNothing, toProgress, toUploadOptions } from "../arguments/convert.ts";
import { toBytes, toCar, toSource } from "../arguments/sources.ts";
import { toDecrypt } from "./decrypt-rule.ts";
import type { Parameter, ResultRule, Rule, Table } from "./types.ts";

const apiKey: Parameter = { name: "apiKey", option: "apiKey" };
const cid: Parameter = { name: "cid" };
const publicKey: Parameter = { name: "publicKey", option: "address" };
const signedMessage: Parameter = { name: "signedMessage", option: "authToken" };
const onProgress: Parameter = { name: "onProgress", option: "onProgress", optional: true, convert: toProgress };
const fileName: Parameter = {
  name: "name",
  option: "name",
  optional: true,
  missing: 'name: "text"',
  convert: toFileName,
};

function uploadOptions(...names: readonly string[]): Parameter {
  return { name: "options", option: "cidVersion", optional: true, convert: toUploadOptions(names) };
}

const stored: ResultRule = { first: true, sameTypes: ["Hash", "Name"] };
const storedList: ResultRule = { sameTypes: ["Hash", "Name", "length"] };

function rule(to: string, parameters: readonly Parameter[], result: ResultRule = {}): Rule {
  return { to, parameters, result };
}

const NO_SUCH_CALL = "keeplight has no such call";

/** The calls of `@lighthouse-web3/sdk` 0.4.7, and those that only 0.4.3 has. */
export const lighthouseTable: Table = {
  upload: rule(
    "upload",
    [{ name: "path", convert: toSource }, apiKey, uploadOptions("cidVersion", "onProgress"), onProgress],
    stored,
  ),
  uploadText: rule("uploadText", [{ name: "text" }, apiKey, fileName, uploadOptions("cidVersion")], stored),
  uploadBuffer: rule(
    "uploadBuffer",
    [{ name: "buffer", convert: toBytes }, apiKey, uploadOptions("cidVersion")],
    stored,
  ),
  uploadCAR: rule("uploadCar", [{ name: "path", convert: toCar }, apiKey, uploadOptions("onProgress")], stored),
  uploadEncrypted: rule(
    "uploadEncrypted",
    [{ name: "path" }, apiKey, publicKey, signedMessage, uploadOptions("cidVersion", "onProgress"), onProgress],
    storedList,
  ),
  textUploadEncrypted: rule(
    "uploadTextEncrypted",
    [{ name: "text" }, apiKey, publicKey, signedMessage, fileName, uploadOptions("cidVersion")],
    storedList,
  ),
  fetchEncryptionKey:
    "keeplight has no call for the key alone: decrypt(cid, { address, authToken }) fetches it and decrypts the file",
  decryptFile: toDecrypt,
  shareFile: rule(
    "kavachShare",
    [publicKey, { name: "shareTo", option: "shareTo", convert: toAddresses }, cid, signedMessage],
    { unread: true },
  ),
  revokeFileAccess: rule(
    "kavachRevoke",
    [publicKey, { name: "revokeTo", option: "revokeTo", convert: toAddresses }, cid, signedMessage],
    { unread: true },
  ),
  applyAccessCondition: rule(
    "kavachSetAccessConditions",
    [
      publicKey,
      cid,
      signedMessage,
      { name: "conditions", option: "conditions", convert: toConditions },
      { name: "aggregator", option: "aggregator", optional: true, convert: toAggregator(3) },
      { name: "chainType", option: "chainType", optional: true, convert: toChainType },
    ],
    { unread: true },
  ),
  getAccessConditions: rule("kavachGetAccessConditions", [cid], {
    mayFail: true,
    sameTypes: ["owner", "cid", "aggregator", "sharedTo"],
  }),
  getAuthMessage: rule("kavachGetAuthMessage", [{ name: "publicKey" }], {
    fields: { message: "message" },
    sameTypes: "all",
  }),
  getApiKey: rule("createApiKey", [publicKey, { name: "signedMessage", option: "signedMessage" }], {
    path: ["data", "apiKey"],
    sameTypes: "all",
  }),
  getBalance: rule("getBalance", [apiKey], { sameTypes: ["dataLimit", "dataUsed"] }),
  getUploads: rule(
    "listFiles",
    [
      { name: "authToken", option: "apiKey" },
      { name: "lastKey", option: "lastKey", optional: true },
      {
        name: "fileType",
        option: "fileType",
        optional: true,
        convert: toNothing("keeplight lists all files", (value) => value === "all"),
      },
    ],
    {},
  ),
  getFileInfo: rule("getFileInfo", [cid], { sameTypes: ["cid"] }),
  deleteFile: rule("deleteFile", [{ name: "authToken", option: "apiKey" }, { name: "fileId" }], {
    sameTypes: ["message"],
  }),
  dealStatus: rule("getDealStatus", [cid], { sameTypes: ["length"] }),
  getQuote: rule("getQuote", [{ name: "path" }, apiKey], { fields: { totalSize: "totalSize" }, sameTypes: "all" }),
  createWallet: rule("createWallet", [{ name: "password" }], {
    fields: { encryptedWallet: "encryptedWallet" },
    sameTypes: "all",
  }),
  generateKey: rule("ipnsGenerateKey", [apiKey], { sameTypes: ["ipnsName", "ipnsId"] }),
  publishRecord: rule(
    "ipnsPublishRecord",
    [{ name: "cid", option: "cid" }, { name: "key", option: "keyName" }, apiKey],
    { sameTypes: ["Name", "Value"] },
  ),
  getAllKeys: rule("ipnsListRecords", [apiKey], { sameTypes: ["ipnsName", "ipnsId", "length"] }),
  removeKey: rule("ipnsRemoveKey", [{ name: "key" }, apiKey], { sameTypes: ["Keys"] }),
  walrusBlobs: NO_SUCH_CALL,
  deleteFileWalrus: NO_SUCH_CALL,
  posdi: rule("getProof", [cid]),
  getPrice: "keeplight returns more: (await getPrice(path, { network, token })).amount",
  fund: "keeplight reports more of a payment: payWithToken({ amount, network, token, privateKey })",
  oneTimeAuth: "keeplight takes a signer: createOneTimeToken({ signer })",
};
