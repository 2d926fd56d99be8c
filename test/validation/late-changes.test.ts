import { beforeAll, describe, expect, test } from "vitest";
import { copyInput } from "../../src/base/operation.ts";
import { samples } from "../access-conditions/samples.ts";
import { cid, hostMessage, nodeMessage, address as other } from "../support/fixtures.ts";
import { createServer, endpointsAt, type RecordedRequest, sendJson } from "../support/http-server.ts";
import { toStoredRows } from "../support/stored-rows.ts";
import * as kit from "./all-calls.ts";

const owner = "0x8ba1f109551bd432803012645ac136ddd64dba72";
const { masterKey, keyShards } = await kit.kavachGenerate();
const encrypted = await kit.encryptBytes(new TextEncoder().encode("secret"), masterKey);
const hash = `0x${"ab".repeat(32)}`;
let identity: kit.RecoveryIdentity;

beforeAll(async () => {
  identity = await kit.createRecoveryIdentity();
});

/** The arguments of a call, made again for each call. */
type Arguments = (url: string) => readonly unknown[];

const signer = () => ({ getAddress: () => owner, signMessage: async () => `0x${"5e".repeat(65)}` });
const call = (url: string) => ({ endpoints: endpointsAt(url) });
const bearer = (url: string) => ({ ...call(url), apiKey: "key" });
const nodes = (url: string) => ({ ...call(url), pauseMs: 0, retryMs: 0, attempts: 1 });
const owned = (url: string) => ({ ...nodes(url), address: owner, authToken: "jwt:token" });
const signed = (url: string) => ({ ...nodes(url), signer: signer() });
const conditions = () => [structuredClone(samples.token)];
const file = (name: string) => ({ name, stream: new Blob([name]).stream() });
const rpc = (url: string) => ({
  ...call(url),
  rpc: [url],
  network: { ...structuredClone(kit.networks.polygon), rpc: url },
});

/** Every public call that takes an object or an array. */
const calls: Partial<Record<keyof typeof kit, Arguments>> = {
  createApiKey: (url) => [{ ...call(url), signer: signer() }],
  createOneTimeToken: (url) => [{ ...call(url), signer: signer() }],
  createOrder: (url) => [{ ...rpc(url), orderId: "1", token: "usdc", amount: 1n }],
  createShareLink: (url) => [cid, { ...owned(url), page: new URL("https://a.example/open"), name: "a.txt" }],
  createWallet: () => ["password", { onProgress: () => undefined }],
  decrypt: (url) => [cid, { ...owned(url), dynamicData: { ":code": ["one"] }, as: "bytes", verifyCid: false }],
  decryptBytes: () => [encrypted, masterKey, {}],
  deleteFile: (url) => ["id", bearer(url)],
  discoverWallets: () => [{ waitMs: 0 }],
  download: (url) => [cid, { ...call(url), as: "bytes", verifyCid: false }],
  encryptBytes: () => [new Uint8Array(9), masterKey, {}],
  estimatePayment: (url) => [{ ...rpc(url), token: "usdc", amount: 1n, address: owner }],
  getAuthMessage: (url) => [owner, call(url)],
  getBalance: (url) => [bearer(url)],
  getDealStatus: (url) => [cid, call(url)],
  getFileInfo: (url) => [cid, call(url)],
  getOneTimeMessage: (url) => [owner, call(url)],
  getPrice: (url) => [[new Blob(["1"]), new Blob(["2"])], { ...call(url), token: "native" }],
  getProof: (url) => [cid, call(url)],
  getQuote: (url) => [[new File(["1"], "a"), new File(["2"], "b")], { ...bearer(url), token: "usdc" }],
  getTicker: (url) => ["FIL", call(url)],
  ipnsGenerateKey: (url) => [bearer(url)],
  ipnsListRecords: (url) => [bearer(url)],
  ipnsPublishRecord: (url) => [{ ...bearer(url), cid, keyName: "name" }],
  ipnsRemoveKey: (url) => ["name", bearer(url)],
  iterateFiles: (url) => [{ ...bearer(url), lastKey: "last" }],
  kavachGenerate: () => [{ threshold: 3, keyCount: 5 }],
  kavachGetAccessConditions: (url) => [cid, nodes(url)],
  kavachGetAuthMessage: (url) => [owner, nodes(url)],
  kavachGetJwt: (url) => [owner, { ...nodes(url), signature: "0x5e" }],
  kavachInspect: (url) => [cid, { ...signed(url), dynamicData: { ":code": { one: 1 } } }],
  kavachRecoverKey: () => [structuredClone(keyShards), { threshold: 3 }],
  kavachRecoverShards: (url) => [cid, { ...signed(url), count: 5, dynamicData: { ":code": 1 } }],
  kavachRefreshJwt: (url) => [owner, { ...nodes(url), refreshToken: "r:1" }],
  kavachRepair: (url) => [cid, signed(url)],
  kavachRevoke: (url) => [cid, { ...signed(url), revokeTo: [other] }],
  kavachSaveShards: (url) => [cid, { ...signed(url), keyShards: structuredClone(keyShards), shareTo: [other] }],
  kavachSetAccessConditions: (url) => [cid, { ...signed(url), conditions: conditions() }],
  kavachSetDelegates: (url) => [[other], signed(url)],
  kavachShardKey: () => [masterKey, { threshold: 3, keyCount: 5 }],
  kavachShare: (url) => [cid, { ...signed(url), shareTo: [other] }],
  kavachTransferOwnership: (url) => [cid, { ...signed(url), newOwner: other }],
  listFiles: (url) => [bearer(url)],
  listFolder: (url) => [cid, { ...call(url), path: "a" }],
  listPayments: (url) => [owner, { ...rpc(url), fromBlock: 1, toBlock: 2 }],
  makeRecoveryKit: (url) => [[{ cid, name: "a" }], { ...owned(url), recipients: [identity.recipient] }],
  makeRecoveryPages: () => [identity.identity, { parts: 3, threshold: 2 }],
  openEncrypted: (url) => [cid, owned(url)],
  openFile: (url) => [cid, { ...call(url), path: "a" }],
  openRecoveryKit: () => [[file("a.age")], { identity: identity.identity }],
  payWithToken: (url) => [{ ...rpc(url), token: "usdc", amount: 1n, privateKey: "11".repeat(32) }],
  listBlobs: (url) => [cid, call(url)],
  listPossessionProofs: (url) => [cid, call(url)],
  requestPossessionProof: (url) => [cid, bearer(url)],
  pinCid: (url) => [cid, { ...bearer(url), fileName: "a" }],
  readEncryptedFolder: (url) => [cid, owned(url)],
  restoreRecoveryIdentity: () => [["one", "two"], { recipient: identity.recipient }],
  revokeEncryptedFolder: (url) => [cid, { ...owned(url), revokeTo: [other] }],
  shareEncryptedFolder: (url) => [cid, { ...owned(url), shareTo: [other] }],
  upload: (url) => [[file("a"), file("b")], bearer(url)],
  uploadBuffer: (url) => [new Uint8Array(1), { ...bearer(url), name: "a" }],
  uploadCar: (url) => [[file("a.car")], bearer(url)],
  uploadEncrypted: (url) => [[file("a"), file("b")], { ...signed(url), apiKey: "key", shareTo: [other] }],
  uploadEncryptedFolder: (url) => [
    [file("a"), file("b")],
    { ...signed(url), apiKey: "key", name: "f", shareTo: [other] },
  ],
  uploadText: (url) => ["text", { ...bearer(url), name: "a" }],
  uploadTextEncrypted: (url) => [
    "text",
    { ...signed(url), apiKey: "key", conditions: conditions(), decryptionType: "ACCESS_CONDITIONS" },
  ],
  verifyPayment: (url) => [hash, { ...rpc(url), token: "usdc", amount: 1n, sender: owner }],
  verifyProof: () => [{ dealInfo: [{ dealId: 1, proof: {} }] }],
  waitForCredit: (url) => [{ dataLimit: 1 }, { ...bearer(url), waitMs: 1, pollMs: 1 }],
};

/** How calls end that the services below cannot satisfy: after they have sent something, or without a request at all. */
const endings: Partial<Record<keyof typeof kit, string>> = {
  createOrder: "INVALID_RESPONSE",
  estimatePayment: "INVALID_RESPONSE",
  getPrice: "TICKER_FAILED",
  getProof: "INVALID_RESPONSE",
  getTicker: "TICKER_FAILED",
  listFolder: "UNSUPPORTED",
  listPayments: "INVALID_RESPONSE",
  openEncrypted: "UNSUPPORTED",
  openFile: "UNSUPPORTED",
  openRecoveryKit: "CANNOT_DECRYPT",
  payWithToken: "INVALID_RESPONSE",
  readEncryptedFolder: "CID_MISMATCH",
  restoreRecoveryIdentity: "INVALID_KEY",
  revokeEncryptedFolder: "CID_MISMATCH",
  shareEncryptedFolder: "CID_MISMATCH",
  uploadCar: "INVALID_RESPONSE",
  verifyPayment: "INVALID_RESPONSE",
  verifyProof: "PROOF_INVALID",
};

/** They take no object, make something that outlives them, or have tests of their own. */
const others = [
  "KeeplightError",
  "UnfinishedError",
  "commitToKey",
  "createKit",
  "createRecoveryIdentity",
  "isKeeplightError",
  "isUnfinished",
  "openJournal",
  "openShareLink",
  "parseFolderName",
  "resumePayments",
];

test("every public function is in one of the lists above", () => {
  const functions = Object.entries(kit).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  expect([...Object.keys(calls), ...others].sort()).toEqual(functions.sort());
});

/** Changes everything that a caller could change: objects, arrays and what they hold. Not what has methods. */
function changeAll(value: unknown): void {
  if (value instanceof URL) value.href = "http://changed.invalid/";
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) changeAll(item);
    value.length = 0;
    value.push("changed");
    return;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return;
  if (Object.values(value).some((field) => typeof field === "function") && "signMessage" in value) return;
  for (const [name, field] of Object.entries(value)) {
    if (name !== "signer" && !(typeof field === "object" && field !== null && "getReader" in field)) changeAll(field);
    (value as Record<string, unknown>)[name] = typeof field === "number" ? Number.NaN : "changed";
  }
}

/** Responds as the network does, as far as the calls require it. */
async function respond(request: RecordedRequest, response: Parameters<typeof sendJson>[0]): Promise<void> {
  const { path } = request;
  const node = Number(path.at(-1));
  if (path === "/api/v0/add") return sendJson(response, await toStoredRows(request));
  if (path === "/api/message/get-jwt") return sendJson(response, { token: "jwt:signed", refreshToken: "r:1" });
  if (path.startsWith("/api/message/")) return sendJson(response, [{ message: nodeMessage }]);
  if (path === "/api/auth/create_api_key") return sendJson(response, "made");
  if (path.startsWith("/api/auth/")) return sendJson(response, hostMessage);
  if (path.startsWith("/api/retrieveSharedKey/")) return sendJson(response, { payload: keyShards[node - 1] });
  if (path.startsWith("/api/fileAccessConditions/get/")) {
    return sendJson(response, { owner, cid, sharedTo: [], conditions: [] });
  }
  if (path.startsWith("/ipfs/") && request.query["format"]) return sendJson(response, {}, 406);
  if (path.startsWith("/api/v0/cat/") || path.startsWith("/ipfs/")) return void response.end(encrypted);
  if (path.endsWith("deal_status") || path === "/api/ipns/get_ipns_records") return sendJson(response, []);
  if (path === "/api/lighthouse/pdp_deal_request") return sendJson(response, "Success");
  const fields = {
    fileList: [],
    blobIds: [],
    dataLimit: 9,
    dataUsed: 1,
    ipnsName: "n",
    ipnsId: "i",
    Name: "n",
    Value: "",
    Keys: [],
  };
  return sendJson(response, { message: "success", cid, fileName: "a", ...fields });
}

/** What was sent, without what is random. */
function describeRequest({ method, path, query, headers, body }: RecordedRequest): string {
  const text = body.toString("latin1");
  const isForm = headers["content-type"]?.startsWith("multipart/") === true;
  const names = isForm ? (text.match(/filename="[^"]*"/g) ?? []) : [text.replace(/"(key|index)":"\w+"/g, '"$1":""')];
  const sent = [method, path, JSON.stringify(query), headers.authorization, ...names].join(" ");
  // Which nodes are asked first, the content ids of encrypted files, and the id of a folder.
  return sent
    .replace(/\b[a-z2-7]{10}\./g, "")
    .replace(/retrieveSharedKey\/\d/, "retrieveSharedKey")
    .replace(/"id":\d+|~?[0-9a-f]{8}-[0-9a-f-]{27}/g, "")
    .replace(/\bb[a-z2-7]{58}\b/g, (found) => (found === cid ? cid : "random"));
}

/** Carries out a call, and changes its arguments at once; returns how it ended and what was sent. */
async function carryOut(name: keyof typeof kit, change: (value: unknown) => void, through?: kit.Kit) {
  const { url, requests } = await createServer(respond);
  const given = calls[name]?.(url) ?? [];
  const functions = (through ?? kit) as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  const result = functions[name]?.(...given);
  for (const each of given) change(each);
  const isGenerator = typeof result === "object" && result !== null && "next" in result;
  const ending = (isGenerator ? (result as AsyncGenerator).next() : Promise.resolve(result)).then(
    () => "resolved",
    (error: unknown) => String((error as Partial<kit.KeeplightError>)?.code ?? error),
  );
  // How often a chain's node is asked depends on when it responds.
  return { ending: await ending, sent: [...new Set(requests.map(describeRequest))].sort() };
}

const names = Object.keys(calls) as (keyof typeof kit)[];

describe.each(names)("%s", (name) => {
  test("uses its arguments as they were when it was called", async () => {
    const expected = await carryOut(name, () => undefined);
    const changed = await carryOut(name, changeAll);
    expect(changed).toEqual(expected);
    // A call that is refused at once would send nothing that a change could show in.
    expect(expected.ending).toBe(endings[name] ?? "resolved");
    expect(JSON.stringify(changed.sent)).not.toContain("changed");
  });
});

describe.each(names.filter((name) => name in kit.createKit()))("%s of a kit", (name) => {
  test("uses its arguments as they were when it was called", async () => {
    const expected = await carryOut(name, () => undefined, kit.createKit() as never);
    expect(await carryOut(name, changeAll, kit.createKit() as never)).toEqual(expected);
  });
});

test("a kit keeps the defaults that it was created with", async () => {
  const { url, requests } = await createServer(respond);
  const defaults = { ...signed(url), apiKey: "key", recovery: [identity.recipient] };
  const bound = kit.createKit(defaults);
  changeAll(defaults);
  await bound.getBalance();
  await bound.kavachShare(cid, { shareTo: other });
  expect(requests.map(describeRequest).join()).toContain("Bearer key");
  expect(requests.filter(({ path }) => path.startsWith("/api/setSharedKey/"))).toHaveLength(5);
});

test("what a library marks by a symbol is copied, and what has methods is not", async () => {
  // As MobX keeps its own data.
  const marked = Object.defineProperty({ standardContractType: "" }, Symbol("administration"), { value: {} });
  const stream = { name: "a", stream: { [Symbol.asyncIterator]: async function* () {} } };
  const given = [marked, stream] as const;
  const copied = copyInput(given);
  expect(copied[0]).toEqual({ standardContractType: "" });
  expect(copied[0]).not.toBe(marked);
  expect(copied[1]).not.toBe(stream);
  expect(copied[1].stream).toBe(stream.stream);
});
