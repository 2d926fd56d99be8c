import { describe, expect, test } from "vitest";
import { failure } from "../support/failure.ts";
import { address, cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { toStoredRows } from "../support/stored-rows.ts";
import * as kit from "./all-calls.ts";

const bytes = Uint8Array.of(1);
const { masterKey, keyShards } = await kit.kavachGenerate();
const encrypted = await kit.encryptBytes(bytes, masterKey);

/** Lets the tests pass options of any type. */
type Loose = never;

/** Calls every public function that takes options, with its other arguments. */
const calls: Partial<Record<keyof typeof kit, (options: Loose) => unknown>> = {
  createApiKey: (options) => kit.createApiKey(options),
  createKit: (options) => kit.createKit(options),
  createOneTimeToken: (options) => kit.createOneTimeToken(options),
  createWallet: (options) => kit.createWallet("password", options),
  decrypt: (options) => kit.decrypt(cid, options),
  decryptBytes: (options) => kit.decryptBytes(encrypted, masterKey, options),
  deleteFile: (options) => kit.deleteFile("id", options),
  discoverWallets: (options) => kit.discoverWallets(options),
  download: (options) => kit.download(cid, options),
  encryptBytes: (options) => kit.encryptBytes(bytes, masterKey, options),
  estimatePayment: (options) => kit.estimatePayment(options),
  getAuthMessage: (options) => kit.getAuthMessage(address, options),
  getBalance: (options) => kit.getBalance(options),
  getDealStatus: (options) => kit.getDealStatus(cid, options),
  getFileInfo: (options) => kit.getFileInfo(cid, options),
  getOneTimeMessage: (options) => kit.getOneTimeMessage(address, options),
  getPrice: (options) => kit.getPrice(1, options),
  getProof: (options) => kit.getProof(cid, options),
  getQuote: (options) => kit.getQuote(bytes, options),
  getTicker: (options) => kit.getTicker("FIL", options),
  ipnsGenerateKey: (options) => kit.ipnsGenerateKey(options),
  ipnsListRecords: (options) => kit.ipnsListRecords(options),
  ipnsPublishRecord: (options) => kit.ipnsPublishRecord(options),
  ipnsRemoveKey: (options) => kit.ipnsRemoveKey("key", options),
  iterateFiles: (options) => kit.iterateFiles(options).next(),
  kavachGenerate: (options) => kit.kavachGenerate(options),
  kavachGetAccessConditions: (options) => kit.kavachGetAccessConditions(cid, options),
  kavachGetAuthMessage: (options) => kit.kavachGetAuthMessage(address, options),
  kavachGetJwt: (options) => kit.kavachGetJwt(address, options),
  kavachInspect: (options) => kit.kavachInspect(cid, options),
  kavachRecoverKey: (options) => kit.kavachRecoverKey(keyShards, options),
  kavachRecoverShards: (options) => kit.kavachRecoverShards(cid, options),
  kavachRefreshJwt: (options) => kit.kavachRefreshJwt(address, options),
  kavachRepair: (options) => kit.kavachRepair(cid, options),
  kavachRevoke: (options) => kit.kavachRevoke(cid, options),
  kavachSaveShards: (options) => kit.kavachSaveShards(cid, options),
  kavachSetAccessConditions: (options) => kit.kavachSetAccessConditions(cid, options),
  kavachSetDelegates: (options) => kit.kavachSetDelegates(address, options),
  kavachShardKey: (options) => kit.kavachShardKey(masterKey, options),
  kavachShare: (options) => kit.kavachShare(cid, options),
  kavachTransferOwnership: (options) => kit.kavachTransferOwnership(cid, options),
  listFiles: (options) => kit.listFiles(options),
  listFolder: (options) => kit.listFolder(cid, options).next(),
  listPayments: (options) => kit.listPayments(address, options),
  openEncrypted: (options) => kit.openEncrypted(cid, options),
  openFile: (options) => kit.openFile(cid, options),
  listBlobs: (options) => kit.listBlobs(cid, options),
  listPossessionProofs: (options) => kit.listPossessionProofs(cid, options),
  requestPossessionProof: (options) => kit.requestPossessionProof(cid, options),
  pinCid: (options) => kit.pinCid(cid, options),
  payWithToken: (options) => kit.payWithToken(options),
  resumePayments: (options) => kit.resumePayments({ place: "" }, options),
  waitForCredit: (options) => kit.waitForCredit({ dataLimit: 0 }, options),
  verifyPayment: (options) => kit.verifyPayment(`0x${"00".repeat(32)}`, options),
  readEncryptedFolder: (options) => kit.readEncryptedFolder(cid, options),
  revokeEncryptedFolder: (options) => kit.revokeEncryptedFolder(cid, options),
  shareEncryptedFolder: (options) => kit.shareEncryptedFolder(cid, options),
  createOrder: (options) => kit.createOrder(options),
  createShareLink: (options) => kit.createShareLink(cid, options),
  makeRecoveryKit: (options) => kit.makeRecoveryKit([cid], options),
  makeRecoveryPages: (options) => kit.makeRecoveryPages("AGE-SECRET-KEY-1", options),
  openJournal: (options) => kit.openJournal(options),
  openRecoveryKit: (options) => kit.openRecoveryKit(bytes, options),
  restoreRecoveryIdentity: (options) => kit.restoreRecoveryIdentity("words", options),
  upload: (options) => kit.upload(bytes, options),
  uploadBuffer: (options) => kit.uploadBuffer(bytes, options),
  uploadCar: (options) => kit.uploadCar(bytes, options),
  uploadEncrypted: (options) => kit.uploadEncrypted(bytes, options),
  uploadEncryptedFolder: (options) => kit.uploadEncryptedFolder(bytes, options),
  uploadText: (options) => kit.uploadText("text", options),
  uploadTextEncrypted: (options) => kit.uploadTextEncrypted("text", options),
};

/** Returns the error of a call with options of any type. */
function catchRefusal(call: (options: Loose) => unknown, options: unknown) {
  return failure(Promise.resolve().then(() => call(options as Loose)));
}

test("every public function that takes options is in the table above", () => {
  const withoutOptions = [
    "KeeplightError",
    "UnfinishedError",
    "commitToKey",
    "createRecoveryIdentity",
    "isKeeplightError",
    "isUnfinished",
    "openShareLink",
    "parseFolderName",
    "verifyProof",
  ];
  const functions = Object.entries(kit).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  expect(functions.filter((name) => !(name in calls)).sort()).toEqual(withoutOptions.sort());
});

describe("every call", () => {
  test.each([null, 5, "x", true, [], () => 0, new URL("http://a.invalid")])(
    "refuses %j as options",
    async (options) => {
      for (const [name, call] of Object.entries(calls))
        expect.soft(await catchRefusal(call, options), name).toMatchObject({
          code: "INVALID_OPTION",
          message: "Invalid option options: expected an object",
          details: { option: "options" },
        });
    },
  );

  test("refuses an unknown option, and names it", async () => {
    for (const [name, call] of Object.entries(calls)) {
      const error = await catchRefusal(call, { qqqqqqqq: 1 });
      expect.soft(error, name).toMatchObject({ code: "INVALID_OPTION", details: { option: "qqqqqqqq" } });
      expect.soft(error.message, name).toMatch(/^Unknown option qqqqqqqq: the options are \w+/);
    }
  });
});

describe("the error suggests the nearest name", () => {
  const suggestions: [name: keyof typeof calls, option: string, nearest: string][] = [
    ["uploadEncrypted", "sharedTo", "shareTo"],
    ["uploadEncrypted", "cidversion", "cidVersion"],
    ["upload", "timeout", "timeoutMs"],
    ["upload", "api_key", "apiKey"],
    ["upload", "apikey", "apiKey"],
    ["upload", "endpoint", "endpoints"],
    ["createKit", "api_key", "apiKey"],
    ["decrypt", "onprogres", "onProgress"],
    ["kavachTransferOwnership", "newOwnr", "newOwner"],
    ["kavachGenerate", "treshold", "threshold"],
    ["payWithToken", "private_key", "privateKey"],
  ];
  test.each(suggestions)("%s({ %s }): %s", async (name, option, nearest) => {
    const error = await catchRefusal(calls[name] ?? expect.unreachable, { [option]: 1 });
    expect(error).toMatchObject({
      code: "INVALID_OPTION",
      message: `Unknown option ${option}: did you mean ${nearest}?`,
      details: { option, nearest },
    });
  });

  test("but none if no name is near, regardless of the length", async () => {
    const error = await catchRefusal(calls.upload ?? expect.unreachable, { ["x".repeat(100_000)]: 1 });
    expect(error.details["nearest"]).toBeUndefined();
  });
});

describe("invalid endpoints never fall back to the public network", () => {
  const wrong: [endpoints: unknown, message: string][] = [
    [
      "http://127.0.0.1:1",
      "Invalid option endpoints: expected an object of base URLs { api, upload, gateway, keyNodes }",
    ],
    [
      new URL("http://127.0.0.1:1"),
      "Invalid option endpoints: expected an object of base URLs { api, upload, gateway, keyNodes }",
    ],
    [
      ["http://127.0.0.1:1"],
      "Invalid option endpoints: expected an object of base URLs { api, upload, gateway, keyNodes }",
    ],
    [5, "Invalid option endpoints: expected an object of base URLs { api, upload, gateway, keyNodes }"],
    [null, "Invalid option endpoints: expected an object of base URLs { api, upload, gateway, keyNodes }"],
    [{ apiHost: "http://127.0.0.1:1" }, "Unknown option endpoints.apiHost: did you mean endpoints.api?"],
    [{ Upload: "http://127.0.0.1:1" }, "Unknown option endpoints.Upload: did you mean endpoints.upload?"],
    [{ keynode: "http://127.0.0.1:1" }, "Unknown option endpoints.keynode: did you mean endpoints.keyNodes?"],
    [{ api: undefined }, "Invalid option endpoints.api: expected an http or https URL without query and fragment"],
  ];
  test.each(wrong)("%j", async (endpoints, message) => {
    for (const name of ["upload", "getFileInfo", "uploadEncrypted", "createKit", "getPrice", "payWithToken"] as const) {
      const options = { endpoints, ...(name.startsWith("upload") ? { apiKey: "key" } : {}) };
      expect(await catchRefusal(calls[name] ?? expect.unreachable, options), name).toMatchObject({
        code: "INVALID_OPTION",
        message,
      });
    }
  });
});

describe("an invalid function, signal or path is refused before anything is sent", () => {
  const wrong: [option: object, message: string, names: (keyof typeof calls)[]][] = [
    [
      { onProgress: 5 },
      "Invalid option onProgress: expected a function",
      ["upload", "decrypt", "createWallet", "payWithToken"],
    ],
    [{ onProgress: null }, "Invalid option onProgress: expected a function", ["upload", "uploadEncrypted", "download"]],
    [{ onKeyRecovered: "x" }, "Invalid option onKeyRecovered: expected a function", ["decrypt"]],
    [
      { signal: 5 },
      "Invalid option signal: expected an AbortSignal",
      ["upload", "encryptBytes", "createWallet", "discoverWallets", "kavachShare"],
    ],
    [{ signal: null }, "Invalid option signal: expected an AbortSignal", ["download"]],
    [{ to: null }, "Invalid option to: expected a path or a file: URL", ["download", "decrypt"]],
    [{ to: 5 }, "Invalid option to: expected a path or a file: URL", ["download", "decrypt"]],
  ];
  test.each(wrong)("%j", async (option, message, names) => {
    const { url, requests } = await createServer((_, response) => sendJson(response, {}));
    for (const name of names) {
      const takesEndpoints = !["createWallet", "encryptBytes", "discoverWallets"].includes(name);
      const options = { ...option, ...(takesEndpoints ? { endpoints: endpointsAt(url) } : {}) };
      expect(await catchRefusal(calls[name] ?? expect.unreachable, options), name).toMatchObject({
        code: "INVALID_OPTION",
        message,
      });
    }
    expect(requests).toEqual([]);
  });
});

describe("a kit", () => {
  test("passes each call only the defaults that the call takes", async () => {
    const { url } = await createServer((_, response) =>
      sendJson(response, { cid, fileName: "a", fileSizeInBytes: "1", encryption: false }),
    );
    const signer: kit.Signer = { getAddress: () => address, signMessage: async () => "0x5e" };
    const bound = kit.createKit({
      apiKey: "key",
      signer,
      endpoints: endpointsAt(url),
      pauseMs: 0,
      attempts: 1,
      maxInFlight: 2,
    });
    expect((await bound.getFileInfo(cid)).cid).toBe(cid);
    expect((await bound.getPrice(1, { token: "usdc" })).amount).toBe(3906n);
  });

  test("refuses options that the call itself does not take", async () => {
    const bound = kit.createKit({ apiKey: "key" });
    const error = await failure(bound.getFileInfo(cid, { pauseMs: 0 } as object));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "pauseMs" } });
    expect(await failure(bound.getBalance(null as never))).toMatchObject({ details: { option: "options" } });
  });

  test("refuses defaults that no call takes, and defaults that only one call takes", () => {
    expect(() => kit.createKit({ sharedTo: [] } as object)).toThrow("Unknown option sharedTo");
    expect(() => kit.createKit({ cidVersion: 0 } as object)).toThrow("Unknown option cidVersion");
  });
});

test("options that are undefined count as omitted", async () => {
  const { url } = await createServer((_, response) => sendJson(response, { dataLimit: 1, dataUsed: 0 }));
  const options = { apiKey: "key", endpoints: endpointsAt(url), signal: undefined, sharedTo: undefined };
  expect((await kit.getBalance(options)).dataLimit).toBe(1);
});

test("resume() refuses an unknown option, sends nothing, and can be called again", async () => {
  let refuses = true;
  const { url, requests } = await createServer(async (request, response) => {
    if (request.path.startsWith("/api/v0/add")) return sendJson(response, await toStoredRows(request));
    return refuses ? sendJson(response, { message: "no" }, 403) : sendJson(response, { message: "success" });
  });
  const owner = { address, authToken: "jwt:t", endpoints: endpointsAt(url), pauseMs: 0, retryMs: 0 };
  const errors = [
    await failure(kit.kavachShare(cid, { ...owner, shareTo: address })),
    await failure(kit.uploadEncrypted(bytes, { ...owner, apiKey: "key" })),
  ] as kit.UnfinishedError<unknown, object>[];
  const sent = requests.length;
  for (const unfinished of errors) {
    expect(await failure(unfinished.resume({ authtoken: "jwt:u" }))).toMatchObject({
      code: "INVALID_OPTION",
      message: "Unknown option authtoken: did you mean authToken?",
    });
    expect(await failure(unfinished.resume(null as never))).toMatchObject({ details: { option: "options" } });
  }
  expect(requests).toHaveLength(sent);
  refuses = false;
  for (const unfinished of errors) await unfinished.resume({ authToken: "jwt:u" });
});
