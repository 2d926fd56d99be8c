import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { type Incumbent, startIncumbent } from "../../../test/interop/incumbent.ts";
import { getJwtThroughIncumbent } from "../../../test/interop/stage.ts";
import {
  createServer,
  type Handler,
  type RecordedRequest,
  type TestServer,
} from "../../../test/support/http-server.ts";
import { createTree, encodeCar } from "../../devnet/test/car.ts";
import * as lighthouse from "../src/index.ts";
import { pointAt, setCompatStage } from "./stage.ts";

// Each call sends what the incumbent sends, to the same service: recorded side by side on one devnet.

const stage = setCompatStage({ proofDelayMs: 0, storageLimits: { lifetime: 1e9 } });
const drop = lighthouse.default as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;

const SERVICES = ["api", "upload", "walrusUpload", "gateway", "keyNodes"] as const;
let recorders: Record<(typeof SERVICES)[number], TestServer>;
let incumbent: Incumbent;

/** Starts a server that passes requests on to a service, and records them. */
function record(base: string): Promise<TestServer> {
  const pass: Handler = async ({ method, body, headers }, response, incoming) => {
    const {
      host: _,
      connection: __,
      "transfer-encoding": ___,
      "content-length": ____,
      expect: _____,
      ...passed
    } = headers;
    const answer = await fetch(`${base}${incoming.url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(method === "GET" ? {} : { body: new Uint8Array(body) }),
    });
    const type = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
  };
  return createServer(pass, { keep: true });
}

beforeAll(async () => {
  const { endpoints } = stage().devnet;
  const started = await Promise.all(
    SERVICES.map(async (service) => [service, await record(endpoints[service])] as const),
  );
  recorders = Object.fromEntries(started) as typeof recorders;
  const urls = Object.fromEntries(started.map(([service, { url }]) => [service, url])) as unknown as typeof endpoints;
  pointAt(urls);
  incumbent = await startIncumbent(urls);
  return async () => {
    await incumbent.stop();
    for (const { close } of Object.values(recorders)) await close();
  };
});
beforeEach(() => void takeRequests());

/** Headers that say how a client connects, not what it wants. */
const OF_CONNECTION =
  /^(host|connection|accept.*|sec-fetch-mode|user-agent|content-length|transfer-encoding|origin|cache-control|pragma)$/;

/** Writes a request without what is random: keys, and the content ids of what was encrypted by them. */
function describe(service: string, { method, path, query, headers, body }: RecordedRequest): string {
  const isForm = headers["content-type"]?.startsWith("multipart/form-data") ?? false;
  const sent = Object.entries(headers).filter(([name, value]) => {
    if (name === "authorization") return value !== "";
    // It says nothing without a body.
    return name === "content-type" ? body.length > 0 : !OF_CONNECTION.test(name);
  });
  const lines = sent.map(
    ([name, value]) => `${name}: ${isForm && name === "content-type" ? "multipart/form-data" : value}`,
  );
  const asked = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const isJson = !isForm && body[0] === 0x7b;
  const text = isJson ? JSON.stringify(sortKeys(JSON.parse(body.toString()))) : "";
  const fields = text.includes('"payload"') ? text.replace(/"(cid|key|index)":"[^"]+"/g, '"$1":"…"') : text;
  // The case says nothing, and the default may be named or not.
  const named = fields.replace('"chainType":"evm"', '"chainType":"EVM"').replace(',"decryptionType":"ADDRESS"', "");
  // Any three nodes restore a key.
  const place = path.replace(/(retrieveSharedKey)\/\d/, "$1/n");
  return [`${method} ${service} ${place}`, ...asked.sort(), ...lines.sort(), named].join("\n");
}

/** The order of fields says nothing. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, sortKeys(field)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the services have received since the last call, in no order. */
function takeRequests(): string[] {
  const all = SERVICES.flatMap((service) =>
    recorders[service].requests.splice(0).map((request) => describe(service, request)),
  );
  return all.sort();
}

type Args = () => unknown[] | Promise<unknown[]>;
const key = () => stage().apiKey;
const uploads = [{}, { cidVersion: 0 }, { headers: { storageType: "annual" } }, { headers: { storageType: "walrus" } }];

async function owner() {
  const { owner: someone, incumbent: before } = stage();
  return [someone.address, await getJwtThroughIncumbent(before, someone)];
}

async function car(): Promise<string> {
  const { root, blocks } = await createTree({ file: stage().contents["a.txt"] }, 262_144);
  const path = join(dirname(stage().single), "requests.car");
  await writeFile(path, encodeCar([root], blocks));
  return path;
}

/** Content ids of a file, and of an encrypted one, that are stored once for all calls. */
let files: Promise<{ plain: string; encrypted: string }> | undefined;
function store() {
  files ??= (async () => {
    type Stored<Data> = { data: Data };
    const { incumbent: before } = stage();
    const plain = await before.call<Stored<{ Hash: string }>>("uploadText", "stored", key());
    const encrypted = await before.call<Stored<[{ Hash: string }]>>(
      "textUploadEncrypted",
      "x",
      key(),
      ...(await owner()),
    );
    return { plain: plain.data.Hash, encrypted: encrypted.data[0].Hash };
  })();
  return files;
}
const storedCid = async () => (await store()).plain;

/** The owner's arguments of a call about the encrypted file. */
async function onEncrypted(of: (cid: string, address: unknown, token: unknown) => unknown[]): Promise<unknown[]> {
  const [address, token] = await owner();
  return of((await store()).encrypted, address, token);
}

const friend = () => stage().friend.address;
const conditions = [
  {
    id: 1,
    chain: "Polygon",
    method: "getBlockNumber",
    standardContractType: "",
    returnValueTest: { comparator: ">=", value: "1" },
  },
];

const two = conditions.flatMap((condition) => [condition, { ...condition, id: 2 }]);

const calls: [string, Args][] = [
  ...uploads.flatMap((options): [string, Args][] => [
    ["upload", () => [stage().single, key(), options]],
    ["upload", () => [stage().folder, key(), options]],
    ["uploadText", () => ["text", key(), "a.txt", options]],
    ["uploadBuffer", () => [Buffer.from("bytes"), key(), options]],
    ["uploadCAR", async () => [await car(), key(), options]],
    ["uploadEncrypted", async () => [stage().folder, key(), ...(await owner()), options]],
    ["uploadEncrypted", async () => [stage().single, key(), ...(await owner()), options]],
    ["textUploadEncrypted", async () => ["text", key(), ...(await owner()), "a.txt", options]],
  ]),
  ["upload", () => [stage().single, key(), 0]],
  ["uploadText", () => ["text", key()]],
  ["getBalance", () => [key()]],
  ["getQuote", () => [stage().single, key()]],
  ["getUploads", () => [key()]],
  ["getUploads", () => [key(), null]],
  ["getUploads", () => [key(), null, "all"]],
  ["getUploads", () => [key(), null, "annual"]],
  ["getUploads", () => [key(), null, "walrus"]],
  ["getUploads", () => [key(), null, "lifetime"]],
  ["getFileInfo", async () => [await storedCid()]],
  ["dealStatus", async () => [await storedCid()]],
  ["walrusBlobs", async () => [await storedCid()]],
  ["deleteFile", () => [key(), "no-such-id"]],
  ["deleteFileWalrus", () => [key(), "no-such-id"]],
  ["generateKey", () => [key()]],
  ["getAllKeys", () => [key()]],
  ["publishRecord", async () => [await storedCid(), "no-such-key", key()]],
  ["removeKey", () => ["no-such-key", key()]],
  ["getAuthMessage", () => [stage().owner.address]],
  ["getApiKey", () => [stage().owner.address, `0x${"1".repeat(130)}`]],
  ["getAccessConditions", () => onEncrypted((cid) => [cid])],
  ["fetchEncryptionKey", () => onEncrypted((cid, address, token) => [cid, address, token])],
  ["shareFile", () => onEncrypted((cid, address, token) => [address, [friend()], cid, token])],
  ["revokeFileAccess", () => onEncrypted((cid, address, token) => [address, friend(), cid, token])],
  ["revokeFileAccess", () => onEncrypted((cid, address, token) => [address, [friend()], cid, token])],
  ["applyAccessCondition", () => onEncrypted((cid, address, token) => [address, cid, token, conditions])],
  [
    "applyAccessCondition",
    () => onEncrypted((cid, address, token) => [address, cid, token, two, "([1] and [2])", "EVM"]),
  ],
];

test.each(calls.map(([name, args], at) => [at, name, args] as const))("%i %s", async (_, name, toArgs) => {
  const args = await toArgs();
  takeRequests();
  await incumbent.call(name, ...args).catch(() => undefined);
  const expected = takeRequests();
  await drop[name]?.(...args).catch(() => undefined);
  expect(takeRequests()).toEqual(expected);
});
