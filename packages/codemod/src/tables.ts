import { isFixed } from "./arguments.ts";
import {
  checkQuoteUses,
  checkShardUses,
  toAddresses,
  toAggregator,
  toBytes,
  toCar,
  toChainType,
  toConditions,
  toFileName,
  toFiveShards,
  toNothing,
  toProgress,
  toShards,
  toShareTo,
  toSource,
  toUploadOptions,
} from "./converters.ts";
import { ByHand, textOf } from "./program.ts";
import { argumentOf, type Converter, type Parameter, type ResultRule, type Rule, type Table } from "./rule.ts";
import type { Call } from "./sites.ts";
import { findForm } from "./values.ts";

const rule = (to: string, parameters: readonly Parameter[], result: ResultRule = {}) => ({ to, parameters, result });

/** The first argument of the kit's call. */
const subject = (name: string, convert?: Converter): Parameter => ({ name, ...(convert ? { convert } : {}) });

/** An argument that becomes an option. */
const option = (name: string, to = name, convert?: Converter): Parameter => ({ ...subject(name, convert), option: to });

/** Likewise, and it may be left out. */
const optional = (name: string, to = name, convert?: Converter): Parameter => ({
  ...option(name, to, convert),
  optional: true,
});

const uploadOptions = (...names: string[]): Parameter => optional("options", "cidVersion", toUploadOptions(...names));

const cid = subject("cid");
const apiKey = option("apiKey");
const publicKey = option("publicKey", "address");
const signedMessage = option("signedMessage", "authToken");
const shareTo = option("shareTo", "shareTo", toAddresses);
const revokeTo = option("revokeTo", "revokeTo", toAddresses);
const onProgress = optional("onProgress", "onProgress", toProgress);
const fileName: Parameter = { ...optional("name", "name", toFileName), missing: 'name: "text"' };
const conditions = [
  option("conditions", "conditions", toConditions),
  optional("aggregator", "aggregator", toAggregator(3)),
  optional("chainType", "chainType", toChainType),
];

const stored: ResultRule = { first: true, sameTypes: ["Hash", "Name"] };
const storedList: ResultRule = { sameTypes: ["Hash", "Name", "length"] };
const access: ResultRule = { mayFail: true, sameTypes: ["owner", "cid", "aggregator", "sharedTo"] };
const unread: ResultRule = { unread: true };
const message: ResultRule = { fields: { message: "message" }, sameTypes: "all" };

/** The calls of `@lighthouse-web3/sdk` 0.4.7, and those that only 0.4.3 has. */
const lighthouse: Table = {
  upload: rule(
    "upload",
    [subject("path", toSource), apiKey, uploadOptions("cidVersion", "onProgress"), onProgress],
    stored,
  ),
  uploadText: rule("uploadText", [subject("text"), apiKey, fileName, uploadOptions("cidVersion")], stored),
  uploadBuffer: rule("uploadBuffer", [subject("buffer", toBytes), apiKey, uploadOptions("cidVersion")], stored),
  uploadCAR: rule("uploadCar", [subject("path", toCar), apiKey, uploadOptions("onProgress")], stored),
  uploadEncrypted: rule(
    "uploadEncrypted",
    [subject("path"), apiKey, publicKey, signedMessage, uploadOptions("cidVersion", "onProgress"), onProgress],
    storedList,
  ),
  textUploadEncrypted: rule(
    "uploadTextEncrypted",
    [subject("text"), apiKey, publicKey, signedMessage, fileName, uploadOptions("cidVersion")],
    storedList,
  ),
  fetchEncryptionKey:
    "keeplight has no call for the key alone: decrypt(cid, { address, authToken }) fetches it and decrypts the file",
  decryptFile: toDecrypt,
  shareFile: rule("kavachShare", [publicKey, shareTo, cid, signedMessage], unread),
  revokeFileAccess: rule("kavachRevoke", [publicKey, revokeTo, cid, signedMessage], unread),
  applyAccessCondition: rule("kavachSetAccessConditions", [publicKey, cid, signedMessage, ...conditions], unread),
  getAccessConditions: rule("kavachGetAccessConditions", [cid], access),
  getAuthMessage: rule("kavachGetAuthMessage", [subject("publicKey")], message),
  getApiKey: rule("createApiKey", [publicKey, option("signedMessage")], { path: ["data", "apiKey"], sameTypes: "all" }),
  getBalance: rule("getBalance", [apiKey], { sameTypes: ["dataLimit", "dataUsed"] }),
  getUploads: rule("listFiles", [
    option("authToken", "apiKey"),
    optional("lastKey"),
    optional("fileType", "fileType", toNothing("listFiles takes it as storage", "all")),
  ]),
  getFileInfo: rule("getFileInfo", [cid], { sameTypes: ["cid"] }),
  deleteFile: rule("deleteFile", [option("authToken", "apiKey"), subject("fileId")], { sameTypes: ["message"] }),
  dealStatus: rule("getDealStatus", [cid], { sameTypes: ["length"] }),
  getQuote: rule("getQuote", [subject("path"), apiKey], {
    fields: { totalSize: "totalSize", metaData: "metaData" },
    sameTypes: "all",
    check: checkQuoteUses,
  }),
  createWallet: rule("createWallet", [subject("password")], {
    fields: { encryptedWallet: "encryptedWallet" },
    sameTypes: "all",
  }),
  generateKey: rule("ipnsGenerateKey", [apiKey], { sameTypes: ["ipnsName", "ipnsId"] }),
  publishRecord: rule("ipnsPublishRecord", [option("cid"), option("key", "keyName"), apiKey], {
    sameTypes: ["Name", "Value"],
  }),
  getAllKeys: rule("ipnsListRecords", [apiKey], { sameTypes: ["ipnsName", "ipnsId", "length"] }),
  removeKey: rule("ipnsRemoveKey", [subject("key"), apiKey], { sameTypes: ["Keys"] }),
  walrusBlobs: "listBlobs(cid) returns the ids alone",
  deleteFileWalrus: 'deleteFile(id, { apiKey, storage: "walrus" }) does it',
  posdi: rule("getProof", [cid]),
  getPrice: "keeplight returns more: (await getPrice(path, { network, token })).amount",
  fund: "keeplight reports more of a payment: payWithToken({ amount, network, token, privateKey })",
  oneTimeAuth: "keeplight takes a signer: createOneTimeToken({ signer })",
};

const owner = [option("address"), cid, option("auth_token", "authToken")];
const shares = [optional("threshold"), optional("keyCount")];
const fiveShards = option("keyShards", "keyShards", toFiveShards);

/** The kit throws, and returns `nodesDone`. */
const done: ResultRule = { path: [], fields: {}, failures: ["isSuccess", "error"] };

/** The kit throws, and returns these under other names or the same. */
const returned = (fields: Record<string, string>, ...failures: string[]): ResultRule => ({
  path: [],
  fields,
  failures,
  sameTypes: "all",
});

/** The calls of `@lighthouse-web3/kavach` 0.2.1. */
const kavach: Table = {
  generate: rule("kavachGenerate", shares, { same: true }),
  shardKey: rule("kavachShardKey", [subject("key"), ...shares], returned({ keyShards: "keyShards" }, "isShardable")),
  recoverKey: rule("kavachRecoverKey", [subject("keyShards", toShards)], returned({ masterKey: "masterKey" }, "error")),
  getAuthMessage: rule("kavachGetAuthMessage", [subject("address")], returned({ message: "message" }, "error")),
  getJWT: toJwtRule,
  saveShards: rule("kavachSaveShards", [...owner, fiveShards, optional("shareTo", "shareTo", toShareTo)], done),
  recoverShards: rule("kavachRecoverShards", [...owner, optional("numOfShards", "count"), optional("dynamicData")], {
    ...returned({ shards: "shards" }, "error"),
    check: checkShardUses,
  }),
  shareToAddress: rule("kavachShare", [...owner, shareTo], done),
  revokeAccess: rule("kavachRevoke", [...owner, revokeTo], done),
  transferOwnership: rule(
    "kavachTransferOwnership",
    [option("address"), cid, option("newOwner"), option("auth_token", "authToken"), optional("resetSharedTo")],
    done,
  ),
  accessControl: rule(
    "kavachSetAccessConditions",
    [...owner, ...conditions, { ...fiveShards, optional: true }, optional("decryptionType")],
    done,
  ),
  getAccessCondition: rule("kavachGetAccessConditions", [cid], access),
};

/** The tables of all calls, by package. */
export const tables = { lighthouse, kavach };

/** `decryptFile`: bytes or a `Blob`, by what the program does with it. */
function toDecrypt(call: Call): Rule {
  const isBlob = findForm(call) === "blob";
  const type = isBlob ? argumentOf(call, 2) : undefined;
  if (argumentOf(call, 3)) throw new ByHand("a gateway is an option: { endpoints: { gateway } }");
  // The kit's Blob has no type, and bytes make one that has.
  if (type && !(isFixed(type) && call.path.parentPath.isAwaitExpression())) {
    throw new ByHand("keeplight's Blob has no type of its own: new Blob([bytes], { type })");
  }
  const without = toNothing("a type of its own is for a Blob, which this file is not");
  const plain = optional("mimeType", "mimeType", without);
  const mimeType = isBlob && !type ? { ...plain, missing: 'as: "blob"' } : plain;
  const result: ResultRule = { path: [], sameTypes: "all" };
  return rule(
    "decrypt",
    [cid, option("fileEncryptionKey", "key"), mimeType, optional("gatewayUrl", "gateway")],
    type ? { ...result, within: ["new Blob([", `], { type: ${textOf(call.program, type)} })`] } : result,
  );
}

/** `getJWT`: by a signature, or by a refresh token. */
function toJwtRule(call: Call): Rule {
  const kind = argumentOf(call, 2);
  if (kind && !kind.isBooleanLiteral()) {
    throw new ByHand("whether it takes a signature or a refresh token is not certain", kind);
  }
  const isRefresh = kind?.node.value === true;
  const without = toNothing("it is computed, and has no meaning to keeplight");
  return rule(
    isRefresh ? "kavachRefreshJwt" : "kavachGetJwt",
    [
      subject("address"),
      option("payload", isRefresh ? "refreshToken" : "signature"),
      optional("useAsRefreshToken", "useAsRefreshToken", without),
      optional("chain", "chain", isRefresh ? without : undefined),
    ],
    returned({ JWT: "token", refreshToken: "refreshToken" }, "error"),
  );
}
