import { expect, test } from "vitest";
import * as kit from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { failure } from "../support/failure.ts";
import { address, cid, signature } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { storedRows } from "../support/stored-rows.ts";

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
const forgetful: Handler = async (request, response) =>
  request.path === "/api/v0/add"
    ? sendJson(response, await storedRows(request))
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
    {
      getFileInfo: (given) => kit.createKit(given).getFileInfo("x"),
      decrypt: (given) => kit.createKit(given).decrypt("x"),
    },
  ],
  [
    "keyShards must be an array of 5 objects",
    silence,
    "INVALID_SHARDS",
    {
      kavachSaveShards: (given) => kit.createKit(given).kavachSaveShards(cid, { keyShards: keyShards.slice(1) }),
      kavachSetAccessConditions: (given) =>
        kit.createKit(given).kavachSetAccessConditions(cid, { conditions: [condition], keyShards: [first] }),
    },
  ],
  [
    "Condition validation error: conditions[0] (id 1): chain must be a non-empty string",
    silence,
    "INVALID_CONDITION",
    {
      kavachSetAccessConditions: (given) =>
        kit.createKit(given).kavachSetAccessConditions(cid, { conditions: [{ ...condition, chain: "" }] }),
      uploadEncrypted: (given) =>
        kit.createKit(given).uploadEncrypted(bytes, { conditions: [{ ...condition, chain: "" }] }),
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
      kavachGetJwt: (given) => kit.createKit(given).kavachGetJwt(address, { signature }),
      kavachRefreshJwt: (given) => kit.createKit(given).kavachRefreshJwt(address, { refreshToken: "r:1" }),
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
      kavachRecoverShards: (given) => kit.createKit(given).kavachRecoverShards(cid),
      decrypt: (given) => kit.createKit(given).decrypt(cid),
      kavachGetAccessConditions: (given) => kit.createKit(given).kavachGetAccessConditions(cid),
      kavachRepair: (given) => kit.createKit(given).kavachRepair(cid),
    },
  ],
  [
    "Proof Doesn't exist yet",
    json({}, 400),
    "PROOF_NOT_READY",
    { getProof: (given) => kit.createKit(given).getProof(cid) },
  ],
  [
    "Request failed with status code 503",
    page503,
    "HTTP_STATUS",
    {
      getBalance: (given) => kit.createKit(given).getBalance(),
      upload: (given) => kit.createKit(given).upload(bytes),
      ipnsGenerateKey: (given) => kit.createKit(given).ipnsGenerateKey(),
      kavachGetAuthMessage: (given) => kit.createKit(given).kavachGetAuthMessage(address),
    },
  ],
  [
    "HTTP error! status: 503",
    page503,
    "HTTP_STATUS",
    {
      getFileInfo: (given) => kit.createKit(given).getFileInfo(cid),
      download: (given) => kit.createKit(given).download(cid),
      createApiKey: ({ endpoints }) => kit.createApiKey({ address, signedMessage: signature, endpoints }),
    },
  ],
  [
    "Network error",
    reset,
    "NETWORK",
    {
      upload: (given) => kit.createKit(given).upload(bytes),
      uploadEncrypted: (given) => kit.createKit(given).uploadEncrypted(bytes),
      uploadCar: (given) => kit.createKit(given).uploadCar(bytes),
    },
  ],
  [
    "Request timed out",
    silence,
    "TIMEOUT",
    {
      upload: (given) => kit.createKit(given).upload(bytes, { timeoutMs: 100 }),
      uploadEncrypted: (given) => kit.createKit(given).uploadEncrypted(bytes, { timeoutMs: 100 }),
      uploadCar: (given) => kit.createKit(given).uploadCar(bytes, { timeoutMs: 100 }),
    },
  ],
  [
    "fetch Error",
    json({}, 404),
    "NETWORK",
    { kavachGetAccessConditions: (given) => kit.createKit(given).kavachGetAccessConditions(cid) },
  ],
  [
    "Invalid JSON response",
    page,
    "INVALID_JSON",
    {
      upload: (given) => kit.createKit(given).upload(bytes),
      getBalance: (given) => kit.createKit(given).getBalance(),
    },
  ],
  [
    "No JSON array found in response",
    page,
    "INVALID_RESPONSE",
    { uploadEncrypted: (given) => kit.createKit(given).uploadEncrypted(two) },
  ],
  [
    "Error encrypting file",
    forgetful,
    "SHARDS_NOT_SAVED",
    {
      uploadEncrypted: (given) => kit.createKit(given).uploadEncrypted(bytes),
      uploadTextEncrypted: (given) => kit.createKit(given).uploadTextEncrypted("text"),
    },
  ],
  [
    "Failed to get ticker price: Request failed with status code 503",
    page503,
    "TICKER_FAILED",
    {
      getTicker: (given) => kit.createKit(given).getTicker("FIL"),
      getPrice: (given) => kit.createKit(given).getPrice(1, { network: "filecoin" }),
    },
  ],
  [
    "Unsupported Network!!!",
    silence,
    "UNSUPPORTED_NETWORK",
    {
      getPrice: (given) => kit.createKit(given).getPrice(1, { network: "bitcoin" as never }),
      getQuote: (given) => kit.createKit(given).getQuote(bytes, { network: "bitcoin" as never }),
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
      getAuthMessage: (given) => kit.createKit(given).getAuthMessage("me"),
      kavachShare: (given) => kit.createKit(given).kavachShare(cid, { shareTo: "me" }),
      kavachTransferOwnership: (given) => kit.createKit(given).kavachTransferOwnership(cid, { newOwner: "" }),
    },
  ],
  [
    "Duplicate file name found: a-b.txt",
    silence,
    "DUPLICATE_NAME",
    {
      uploadEncrypted: (given) =>
        kit.createKit(given).uploadEncrypted([new File(["1"], "a/b.txt"), new File(["2"], "a-b.txt")]),
      upload: (given) => kit.createKit(given).upload([new File(["1"], "a-b.txt"), new File(["2"], "a-b.txt")]),
    },
  ],
  [
    "auth_token must be a JWT",
    silence,
    "NOT_A_JWT",
    { uploadEncrypted: (given) => kit.createKit({ ...given, authToken: signature }).uploadEncrypted(two) },
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
