import { expect, test } from "vitest";
import * as kit from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { failure } from "../support/failure.ts";
import { address, cid, signature } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const { keyShards } = await kit.kavachGenerate();
const [first, second] = keyShards;
const condition = samples.native;

const json =
  (body: unknown, status = 200): Handler =>
  (_, response) =>
    sendJson(response, body, status);
const page: Handler = (_, response) => response.end("<html></html>");
const reset: Handler = (_, __, incoming) => incoming.socket.resetAndDestroy();
const silence: Handler = () => undefined;
/** Stores uploads, and refuses keys. */
const forgetful: Handler = async (request, response) =>
  request.path === "/api/v0/add"
    ? sendJson(response, await toStoredRows(request))
    : sendJson(response, { message: "full" }, 500);

/** Options for every call; each ignores those that it does not take. */
interface Options {
  endpoints: kit.Endpoints;
  apiKey: string;
  address: string;
  authToken: string;
  pauseMs: number;
  retryMs: number;
}

const bytes = Uint8Array.of(1);
const two = [new File(["1"], "a.txt"), new File(["2"], "b.txt")];

type Calls = Partial<Record<keyof typeof kit, (options: Options) => Promise<unknown>>>;

/** Every message of the catalogue, a service that causes it, and the calls that fail with it. */
const catalogue: [message: string, Handler, code: kit.ErrorCode, calls: Calls][] = [
  [
    "Invalid CID",
    silence,
    "INVALID_CID",
    {
      getFileInfo: (options) => kit.createKit(options).getFileInfo("x"),
      decrypt: (options) => kit.createKit(options).decrypt("x"),
    },
  ],
  [
    "keyShards must be an array of 5 objects",
    silence,
    "INVALID_SHARDS",
    {
      kavachSaveShards: (options) =>
        kit.createKit(options).kavachSaveShards(cid, incomplete({ keyShards: keyShards.slice(1) })),
      kavachSetAccessConditions: (options) =>
        kit
          .createKit(options)
          .kavachSetAccessConditions(cid, incomplete({ conditions: [condition], keyShards: [first] })),
    },
  ],
  [
    "Condition validation error: conditions[0] (id 1): chain must be a non-empty string",
    silence,
    "INVALID_CONDITION",
    {
      kavachSetAccessConditions: (options) =>
        kit.createKit(options).kavachSetAccessConditions(cid, { conditions: [{ ...condition, chain: "" }] }),
      uploadEncrypted: (options) =>
        kit.createKit(options).uploadEncrypted(bytes, { conditions: [{ ...condition, chain: "" }] }),
    },
  ],
  [
    "Invalid Signature",
    json({ message: "no" }, 401),
    "INVALID_SIGNATURE",
    {
      kavachGetJwt: (options) => kit.createKit(options).kavachGetJwt(address, { signature }),
      kavachRefreshJwt: (options) => kit.createKit(options).kavachRefreshJwt(address, { refreshToken: "r:1" }),
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
      kavachRecoverShards: (options) => kit.createKit(options).kavachRecoverShards(cid),
      decrypt: (options) => kit.createKit(options).decrypt(cid),
      kavachGetAccessConditions: (options) => kit.createKit(options).kavachGetAccessConditions(cid),
      kavachRepair: (options) => kit.createKit(options).kavachRepair(cid),
    },
  ],
  [
    "Proof Doesn't exist yet",
    json({}, 400),
    "PROOF_NOT_READY",
    { getProof: (options) => kit.createKit(options).getProof(cid) },
  ],
  [
    "Request failed with status code 503",
    page503,
    "HTTP_STATUS",
    {
      getBalance: (options) => kit.createKit(options).getBalance(),
      upload: (options) => kit.createKit(options).upload(bytes),
      ipnsGenerateKey: (options) => kit.createKit(options).ipnsGenerateKey(),
      kavachGetAuthMessage: (options) => kit.createKit(options).kavachGetAuthMessage(address),
    },
  ],
  [
    "HTTP error! status: 503",
    page503,
    "HTTP_STATUS",
    {
      getFileInfo: (options) => kit.createKit(options).getFileInfo(cid),
      download: (options) => kit.createKit(options).download(cid),
      createApiKey: ({ endpoints }) => kit.createApiKey({ address, signedMessage: signature, endpoints }),
    },
  ],
  [
    "Network error",
    reset,
    "NETWORK",
    {
      upload: (options) => kit.createKit(options).upload(bytes),
      uploadEncrypted: (options) => kit.createKit(options).uploadEncrypted(bytes),
      uploadCar: (options) => kit.createKit(options).uploadCar(bytes),
    },
  ],
  [
    "Request timed out",
    silence,
    "TIMEOUT",
    {
      upload: (options) => kit.createKit(options).upload(bytes, { timeoutMs: 100 }),
      uploadEncrypted: (options) => kit.createKit(options).uploadEncrypted(bytes, { timeoutMs: 100 }),
      uploadCar: (options) => kit.createKit(options).uploadCar(bytes, { timeoutMs: 100 }),
    },
  ],
  [
    "fetch Error",
    json({}, 404),
    "NETWORK",
    { kavachGetAccessConditions: (options) => kit.createKit(options).kavachGetAccessConditions(cid) },
  ],
  [
    "Invalid JSON response",
    page,
    "INVALID_JSON",
    {
      upload: (options) => kit.createKit(options).upload(bytes),
      getBalance: (options) => kit.createKit(options).getBalance(),
    },
  ],
  [
    "No JSON array found in response",
    page,
    "INVALID_RESPONSE",
    { uploadEncrypted: (options) => kit.createKit(options).uploadEncrypted(two) },
  ],
  [
    "Error encrypting file",
    forgetful,
    "SHARDS_NOT_SAVED",
    {
      uploadEncrypted: (options) => kit.createKit(options).uploadEncrypted(bytes),
      uploadTextEncrypted: (options) => kit.createKit(options).uploadTextEncrypted("text"),
    },
  ],
  [
    "Failed to get ticker price: Request failed with status code 503",
    page503,
    "TICKER_FAILED",
    {
      getTicker: (options) => kit.createKit(options).getTicker("FIL"),
      getPrice: (options) => kit.createKit(options).getPrice(1, { network: "filecoin" }),
    },
  ],
  [
    "Unsupported Network!!!",
    silence,
    "UNSUPPORTED_NETWORK",
    {
      getPrice: (options) => kit.createKit(options).getPrice(1, { network: "bitcoin" as never }),
      getQuote: (options) => kit.createKit(options).getQuote(bytes, { network: "bitcoin" as never }),
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
      getAuthMessage: (options) => kit.createKit(options).getAuthMessage("me"),
      kavachShare: (options) => kit.createKit(options).kavachShare(cid, { shareTo: "me" }),
      kavachTransferOwnership: (options) => kit.createKit(options).kavachTransferOwnership(cid, { newOwner: "" }),
    },
  ],
  [
    "Duplicate file name found: a-b.txt",
    silence,
    "DUPLICATE_NAME",
    {
      uploadEncrypted: (options) =>
        kit.createKit(options).uploadEncrypted([new File(["1"], "a/b.txt"), new File(["2"], "a-b.txt")]),
      upload: (options) => kit.createKit(options).upload([new File(["1"], "a-b.txt"), new File(["2"], "a-b.txt")]),
    },
  ],
  [
    "auth_token must be a JWT",
    silence,
    "NOT_A_JWT",
    { uploadEncrypted: (options) => kit.createKit({ ...options, authToken: signature }).uploadEncrypted(two) },
  ],
];

const payment = {
  network: "polygon",
  token: "usdc",
  amount: 1n,
  privateKey: "1".repeat(64),
  rpc: "http://127.0.0.1:1",
} as const;

/** Refuses with a page. Hoisted: the catalogue above uses it. */
function page503(...[, response]: Parameters<Handler>): void {
  response.writeHead(503).end("<html></html>");
}

const cases = catalogue.flatMap(([message, handler, code, calls]) =>
  Object.entries(calls).map(([name, call]) => ({ name, message, handler, code, call })),
);

test.each(cases)("$name fails with '$message'", async ({ message, handler, code, call }) => {
  const { url } = await createServer(handler);
  const authToken = "jwt:token";
  const options = { endpoints: endpointsAt(url), apiKey: "key", address, authToken, pauseMs: 0, retryMs: 0 };
  const error = await failure(call(options));
  expect([error.code, error.message]).toEqual([code, message]);
  expect(kit.isKeeplightError(error)).toBe(true);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code, message });
});
