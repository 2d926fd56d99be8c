import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  createApiKey,
  decrypt,
  encryptBytes,
  type KeeplightError,
  kavachGenerate,
  kavachGetJwt,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRevoke,
  kavachSaveShards,
  kavachShardKey,
  kavachShare,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { createServer, deadUrl, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { storedRows } from "../support/stored-rows.ts";

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const address = "0x00000000000000000000000000000000000000aa";
const apiKey = "api-key-0123456789-secret";
const authToken = "jwt:header.payload.token-secret";
const signature = `0x${"5e".repeat(65)}`;
const refreshToken = "r:refresh-token-secret";
const { masterKey, keyShards } = await kavachGenerate();
const secrets = [
  apiKey,
  authToken,
  signature,
  refreshToken,
  masterKey,
  ...keyShards.flatMap(({ key, index }) => [key, index]),
];

/** Everything that could get into a log or onto a screen. */
function renderings(error: KeeplightError): string {
  const causes: unknown[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes
    .flatMap((each) => [
      String(each),
      (each as Error).message,
      (each as Error).stack ?? "",
      JSON.stringify(each),
      JSON.stringify(each, Object.getOwnPropertyNames(each)),
      inspect(each, { depth: 20, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null }),
    ])
    .join("\n");
}

function expectNoSecrets(error: KeeplightError, alsoSecret: readonly string[] = []): void {
  const text = renderings(error);
  expect([...secrets, ...alsoSecret].filter((secret) => text.includes(secret))).toEqual([]);
}

const quick = { attempts: 1, pauseMs: 0, retryMs: 0 };

/** Calls that carry a secret over the wire. */
const calls: [name: string, call: (url: string) => Promise<unknown>][] = [
  ["upload", (url) => upload(new Uint8Array(9), { apiKey, endpoints: endpointsAt(url) })],
  ["createApiKey", (url) => createApiKey({ address, signedMessage: signature, endpoints: endpointsAt(url) })],
  ["kavachGetJwt", (url) => kavachGetJwt(address, { signature, ...quick, endpoints: endpointsAt(url) })],
  ["kavachRefreshJwt", (url) => kavachRefreshJwt(address, { refreshToken, ...quick, endpoints: endpointsAt(url) })],
  [
    "kavachSaveShards",
    (url) => kavachSaveShards(cid, { address, authToken, keyShards, ...quick, endpoints: endpointsAt(url) }),
  ],
  [
    "kavachSaveShards with a signature",
    (url) => kavachSaveShards(cid, { address, authToken: signature, keyShards, ...quick, endpoints: endpointsAt(url) }),
  ],
  [
    "kavachShare",
    (url) => kavachShare(cid, { address, authToken, shareTo: address, ...quick, endpoints: endpointsAt(url) }),
  ],
  [
    "kavachRevoke",
    (url) => kavachRevoke(cid, { address, authToken, revokeTo: address, ...quick, endpoints: endpointsAt(url) }),
  ],
  [
    "kavachRecoverShards",
    (url) => kavachRecoverShards(cid, { address, authToken, ...quick, endpoints: endpointsAt(url) }),
  ],
  ["decrypt", (url) => decrypt(cid, { address, authToken, ...quick, endpoints: endpointsAt(url) })],
];

/** A service that repeats all it was told, where a message belongs. */
const parrot =
  (status: number, wrap: (said: string) => unknown): Handler =>
  (request, response) =>
    sendJson(response, wrap(`you sent ${request.headers.authorization ?? ""} and ${request.body.toString()}`), status);

const services: [name: string, Handler][] = [
  ["refuses, repeating what it was sent", parrot(403, (message) => ({ message }))],
  [
    "refuses, repeating what it was sent within messages",
    parrot(500, (message) => ({ message: { error: { message } } })),
  ],
  ["succeeds, but says something else", parrot(200, (message) => ({ message }))],
  ["succeeds with a list", parrot(200, (message) => [message])],
  [
    "answers a page",
    (request, response) => void response.writeHead(502).end(`<title>${request.headers.authorization}</title>`),
  ],
  ["answers broken JSON", (request, response) => void response.end(`{"${request.body.toString()}`)],
  [
    "repeats it as plain text",
    (request, response) => void response.writeHead(400).end(`bad: ${request.headers.authorization} ${request.body}`),
  ],
  ["answers the body it was sent, cut", (request, response) => void response.writeHead(400).end(request.body)],
  ["breaks the connection", (_, response) => void response.destroy()],
];

describe.each(services)("a service that %s", (_, handler) => {
  test.each(calls)("%s shows no secret", async (__, call) => {
    const server = await createServer(handler);
    expectNoSecrets(await failure(call(server.url)));
  });
});

test.each(calls)("%s shows no secret when nobody answers", async (_, call) => {
  expectNoSecrets(await failure(call(await deadUrl())));
});

test("secrets that never leave this machine are not shown when they are refused", async () => {
  const refused = [
    kavachShardKey(`${masterKey}0`),
    kavachRecoverKey(keyShards.slice(0, 2)),
    kavachRecoverKey([...keyShards.slice(0, 2), { key: `${keyShards[2]?.key}zz`, index: "01" }]),
    kavachSaveShards(cid, { address, authToken, keyShards: keyShards.slice(1) }),
    encryptBytes(new Uint8Array(3), masterKey.slice(1)),
    decrypt(cid, { key: masterKey.slice(2) }),
    upload(new Uint8Array(1), { apiKey: `${apiKey} with spaces` }),
    kavachShare(cid, { address, authToken: `${authToken}\n`, shareTo: address }),
  ];
  for (const error of await Promise.all(refused.map(failure))) {
    expectNoSecrets(error, [masterKey.slice(1), masterKey.slice(2)]);
  }
});

test("an encrypted upload whose keys could not be saved shows none of them, nor do those that were saved", async () => {
  const sent: string[] = [];
  const server = await createServer(async (request, response) => {
    if (request.path === "/api/v0/add") return sendJson(response, await storedRows(request));
    const { payload } = JSON.parse(request.body.toString()) as { payload: { key: string; index: string } };
    sent.push(payload.key, payload.index);
    const message = request.path.endsWith("/3") ? `cannot keep ${payload.key} at ${payload.index}` : "success";
    sendJson(response, { message }, message === "success" ? 200 : 500);
  });
  const options = { apiKey, address, authToken, ...quick, endpoints: endpointsAt(server.url) };
  const error = await failure(uploadEncrypted(new Uint8Array(9), options));
  expect(error.code).toBe("SHARDS_NOT_SAVED");
  expect(sent).toHaveLength(6);
  expectNoSecrets(error, sent);
});

test("the words of a refusal are kept, without the secret in them", async () => {
  const server = await createServer(parrot(403, (message) => ({ message })));
  const error = await failure(upload(new Uint8Array(9), { apiKey, endpoints: endpointsAt(server.url) }));
  expect(error.details["serverMessage"]).toMatch(/^you sent Bearer \[secret\] and /);
});
