import { expect, test } from "vitest";
import * as kit from "../../src/index.ts";
import { samples } from "../kavach/conditions/samples.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const address = "0x00000000000000000000000000000000000000aa";
const signature = `0x${"5e".repeat(65)}`;
const { keyShards } = await kit.kavachGenerate();
const [first, second] = keyShards as [kit.KeyShard, kit.KeyShard];
const condition = samples.native;

const json =
  (body: unknown, status = 200): Handler =>
  (_, response) =>
    sendJson(response, body, status);
const page: Handler = (_, response) => response.end("<html></html>");
const reset: Handler = (_, __, incoming) => incoming.socket.resetAndDestroy();
const silence: Handler = () => undefined;
/** Stores what is uploaded, and keeps no key. */
const forgetful: Handler = ({ path }, response) =>
  path === "/api/v0/add"
    ? sendJson(response, [{ Name: "blob", Hash: cid, Size: "1" }])
    : sendJson(response, { message: "full" }, 500);

/** What a call may be given; every one has more than it needs. */
interface Given {
  endpoints: kit.Endpoints;
  apiKey: string;
  address: string;
  authToken: string;
  pauseMs: number;
  retryMs: number;
}

const bytes = Uint8Array.of(1);
const two = [new File(["1"], "a.txt"), new File(["2"], "b.txt")];

type Calls = Partial<Record<keyof typeof kit, (given: Given) => Promise<unknown>>>;

/** Every message of the catalogue, the service that leads to it, and the calls that fail with it. */
const catalogue: [message: string, Handler, code: kit.ErrorCode, calls: Calls][] = [
  [
    "Invalid CID",
    silence,
    "INVALID_CID",
    { getFileInfo: (given) => kit.getFileInfo("x", given), decrypt: (given) => kit.decrypt("x", given) },
  ],
  [
    "keyShards must be an array of 5 objects",
    silence,
    "INVALID_SHARDS",
    {
      kavachSaveShards: (given) => kit.kavachSaveShards(cid, { ...given, keyShards: keyShards.slice(1) }),
      kavachSetAccessConditions: (given) =>
        kit.kavachSetAccessConditions(cid, { ...given, conditions: [condition], keyShards: [first] }),
    },
  ],
  [
    "Condition validation error: conditions[0] (id 1): chain must be a text that is not empty",
    silence,
    "INVALID_CONDITION",
    {
      kavachSetAccessConditions: (given) =>
        kit.kavachSetAccessConditions(cid, { ...given, conditions: [{ ...condition, chain: "" }] }),
      uploadEncrypted: (given) => kit.uploadEncrypted(bytes, { ...given, conditions: [{ ...condition, chain: "" }] }),
      explainConditions: async () => kit.explainConditions([{ ...condition, chain: "" }]),
      simulateConditions: () =>
        kit.simulateConditions([{ ...condition, chain: "" }], null, address, { rpc: "http://127.0.0.1:1" }),
    },
  ],
  [
    "Invalid Signature",
    json({ message: "no" }, 401),
    "INVALID_SIGNATURE",
    {
      kavachGetJwt: (given) => kit.kavachGetJwt(address, { ...given, signature }),
      kavachRefreshJwt: (given) => kit.kavachRefreshJwt(address, { ...given, refreshToken: "r:1" }),
    },
  ],
  [
    "can't recover Key",
    silence,
    "CANNOT_RECOVER_KEY",
    { kavachRecoverKey: () => kit.kavachRecoverKey([first, second]) },
  ],
  [
    "cid not found",
    json(null),
    "CID_NOT_FOUND",
    {
      kavachRecoverShards: (given) => kit.kavachRecoverShards(cid, given),
      decrypt: (given) => kit.decrypt(cid, given),
      kavachGetAccessConditions: (given) => kit.kavachGetAccessConditions(cid, given),
      kavachRepair: (given) => kit.kavachRepair(cid, given),
    },
  ],
  ["Proof Doesn't exist yet", json({}, 400), "PROOF_NOT_READY", { getProof: (given) => kit.getProof(cid, given) }],
  [
    "Request failed with status code 503",
    page503,
    "HTTP_STATUS",
    {
      getBalance: (given) => kit.getBalance(given),
      upload: (given) => kit.upload(bytes, given),
      ipnsGenerateKey: (given) => kit.ipnsGenerateKey(given),
      kavachGetAuthMessage: (given) => kit.kavachGetAuthMessage(address, given),
    },
  ],
  [
    "HTTP error! status: 503",
    page503,
    "HTTP_STATUS",
    {
      getFileInfo: (given) => kit.getFileInfo(cid, given),
      download: (given) => kit.download(cid, given),
      createApiKey: ({ endpoints }) => kit.createApiKey({ address, signedMessage: signature, endpoints }),
    },
  ],
  [
    "Network error",
    reset,
    "NETWORK",
    {
      upload: (given) => kit.upload(bytes, given),
      uploadEncrypted: (given) => kit.uploadEncrypted(bytes, given),
      uploadCar: (given) => kit.uploadCar(bytes, given),
    },
  ],
  [
    "Request timed out",
    silence,
    "TIMEOUT",
    {
      upload: (given) => kit.upload(bytes, { ...given, timeoutMs: 100 }),
      uploadEncrypted: (given) => kit.uploadEncrypted(bytes, { ...given, timeoutMs: 100 }),
      uploadCar: (given) => kit.uploadCar(bytes, { ...given, timeoutMs: 100 }),
    },
  ],
  [
    "fetch Error",
    json({}, 404),
    "NETWORK",
    { kavachGetAccessConditions: (given) => kit.kavachGetAccessConditions(cid, given) },
  ],
  [
    "Invalid JSON response",
    page,
    "INVALID_JSON",
    { upload: (given) => kit.upload(bytes, given), getBalance: (given) => kit.getBalance(given) },
  ],
  [
    "No JSON array found in response",
    page,
    "INVALID_ANSWER",
    { uploadEncrypted: (given) => kit.uploadEncrypted(two, given) },
  ],
  [
    "Error encrypting file",
    forgetful,
    "SHARDS_NOT_SAVED",
    {
      uploadEncrypted: (given) => kit.uploadEncrypted(bytes, given),
      uploadTextEncrypted: (given) => kit.uploadTextEncrypted("text", given),
    },
  ],
  [
    "Failed to get ticker price: Request failed with status code 503",
    page503,
    "TICKER_FAILED",
    {
      getTicker: (given) => kit.getTicker("FIL", given),
      getPrice: (given) => kit.getPrice(1, { ...given, network: "filecoin" }),
    },
  ],
  [
    "Unsupported Network!!!",
    silence,
    "UNSUPPORTED_NETWORK",
    {
      getPrice: (given) => kit.getPrice(1, { ...given, network: "bitcoin" as never }),
      getQuote: (given) => kit.getQuote(bytes, { ...given, network: "bitcoin" as never }),
      payWithToken: ({ endpoints }) => kit.payWithToken({ ...payment, endpoints, network: "bitcoin" as never }),
    },
  ],
  [
    "Token not provided!!!",
    silence,
    "MISSING_TOKEN",
    { payWithToken: ({ endpoints }) => kit.payWithToken({ ...payment, endpoints, token: undefined as never }) },
  ],
  [
    "Private Key not found!!!",
    silence,
    "MISSING_PRIVATE_KEY",
    { payWithToken: ({ endpoints }) => kit.payWithToken({ ...payment, endpoints, privateKey: undefined as never }) },
  ],
  [
    "Invalid public Key",
    silence,
    "INVALID_ADDRESS",
    {
      getAuthMessage: (given) => kit.getAuthMessage("me", given),
      kavachShare: (given) => kit.kavachShare(cid, { ...given, shareTo: "me" }),
      kavachTransferOwnership: (given) => kit.kavachTransferOwnership(cid, { ...given, newOwner: "" }),
    },
  ],
  [
    "Duplicate file name found: a-b.txt",
    silence,
    "DUPLICATE_NAME",
    {
      uploadEncrypted: (given) => kit.uploadEncrypted([new File(["1"], "a/b.txt"), new File(["2"], "a-b.txt")], given),
      upload: (given) => kit.upload([new File(["1"], "a-b.txt"), new File(["2"], "a-b.txt")], given),
    },
  ],
  [
    "auth_token must be a JWT",
    silence,
    "NOT_A_JWT",
    { uploadEncrypted: (given) => kit.uploadEncrypted(two, { ...given, authToken: signature }) },
  ],
];

const payment = {
  network: "polygon",
  token: "usdc",
  amount: 1n,
  privateKey: "1".repeat(64),
  rpc: "http://127.0.0.1:1",
} as const;

/** A hoisted handler: a refusal without words. */
function page503(...[, response]: Parameters<Handler>): void {
  response.writeHead(503).end("<html></html>");
}

const cases = catalogue.flatMap(([message, handler, code, calls]) =>
  Object.entries(calls).map(([name, call]) => ({ name, message, handler, code, call })),
);

test.each(cases)("$name fails with '$message'", async ({ message, handler, code, call }) => {
  const { url } = await createServer(handler);
  const authToken = "jwt:token";
  const given = { endpoints: endpointsAt(url), apiKey: "key", address, authToken, pauseMs: 0, retryMs: 0 };
  const error = await failure(call(given));
  expect([error.code, error.message]).toEqual([code, message]);
  expect(kit.isKeeplightError(error)).toBe(true);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code, message });
});
