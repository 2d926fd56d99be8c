import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  createApiKey,
  decrypt,
  download,
  encryptBytes,
  getFileInfo,
  type KeeplightError,
  kavachGenerate,
  kavachGetJwt,
  kavachInspect,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRevoke,
  kavachSaveShards,
  kavachShardKey,
  kavachShare,
  payWithToken,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, cid, signature } from "../support/fixtures.ts";
import { createServer, endpointsAt, findClosedUrl, type Handler, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const apiKey = "api-key-0123456789-secret";
const authToken = "jwt:header.payload.token-secret";
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

/** Renders the error in every way that a log or a screen may show it. */
function renderAll(error: KeeplightError): string {
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
  const text = renderAll(error);
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

/** Creates a service that echoes the whole request as its message. */
const echo =
  (status: number, wrap: (request: string) => unknown): Handler =>
  (request, response) =>
    sendJson(response, wrap(`you sent ${request.headers.authorization ?? ""} and ${request.body.toString()}`), status);

const services: [name: string, Handler][] = [
  ["refuses, echoing the request", echo(403, (message) => ({ message }))],
  ["refuses, echoing the request in nested messages", echo(500, (message) => ({ message: { error: { message } } }))],
  ["succeeds with another message", echo(200, (message) => ({ message }))],
  ["succeeds with a list", echo(200, (message) => [message])],
  [
    "responds with a page",
    (request, response) => void response.writeHead(502).end(`<title>${request.headers.authorization}</title>`),
  ],
  ["responds with broken JSON", (request, response) => void response.end(`{"${request.body.toString()}`)],
  [
    "echoes the request as plain text",
    (request, response) => void response.writeHead(400).end(`bad: ${request.headers.authorization} ${request.body}`),
  ],
  ["echoes the truncated body", (request, response) => void response.writeHead(400).end(request.body)],
  ["breaks the connection", (_, response) => void response.destroy()],
];

describe.each(services)("a service that %s", (_, handler) => {
  test.each(calls)("%s shows no secret", async (__, call) => {
    const server = await createServer(handler);
    expectNoSecrets(await failure(call(server.url)));
  });
});

test.each(calls)("%s shows no secret if no service responds", async (_, call) => {
  expectNoSecrets(await failure(call(await findClosedUrl())));
});

test("secrets that never leave this machine are not shown when they are refused", async () => {
  const refused = [
    kavachShardKey(`${masterKey}0`),
    kavachRecoverKey(keyShards.slice(0, 2)),
    kavachRecoverKey([...keyShards.slice(0, 2), { key: `${keyShards[2]?.key}zz`, index: "01" }]),
    kavachSaveShards(cid, incomplete({ address, authToken, keyShards: keyShards.slice(1) })),
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
    if (request.path === "/api/v0/add") return sendJson(response, await toStoredRows(request));
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

test("the message of a refusal is kept, without the secret in it", async () => {
  const server = await createServer(echo(403, (message) => ({ message })));
  const error = await failure(upload(new Uint8Array(9), { apiKey, endpoints: endpointsAt(server.url) }));
  expect(error.details["serverMessage"]).toMatch(/^you sent Bearer \[secret\] and /);
});

/** Creates a service that refuses with this message. */
const refuseWith =
  (message: (request: { headers: Record<string, unknown>; body: string }) => string, status = 403): Handler =>
  (request, response) =>
    sendJson(response, { message: message({ headers: request.headers, body: request.body.toString() }) }, status);

test.each(["p@ss@word-in-an-endpoint", "pass/word-in-an-endpoint", "%70ass:word-in-an-endpoint"])(
  "the password %s of an endpoint is shown nowhere",
  async (password) => {
    const server = await createServer(
      refuseWith(({ headers }) => `you sent ${headers["authorization"]} (${password})`),
    );
    const url = server.url.replace("//", `//user:${password}@`);
    const errors = [
      await failure(kavachRecoverShards(cid, { address, authToken, ...quick, endpoints: { keyNodes: url } })),
      await failure(getFileInfo(cid, { endpoints: { api: url } })),
      await failure(
        getFileInfo(cid, { endpoints: { api: (await findClosedUrl()).replace("//", `//user:${password}@`) } }),
      ),
      await failure(download(cid, { endpoints: { gateway: url } })),
    ];
    for (const error of errors) expectNoSecrets(error, [password, password.split(/[@/]/).at(-1) ?? "", "word-in-an"]);
  },
);

const ways: [name: string, encode: (text: string) => string][] = [
  ["unchanged", (text) => text],
  ["as a form encodes it", (text) => String(new URLSearchParams({ text })).slice(5)],
  ["as a URL encodes it, twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["as a URL's path encodes it", encodeURI],
  ["as JSON in JSON", (text) => JSON.stringify(JSON.stringify(text))],
  ["as JSON of ASCII", (text) => JSON.stringify(text).replace(/[^ -~]/g, toUnicodeEscape)],
  ["as HTML with names", (text) => text.replace(/[&<>"']/g, (sign) => `&${htmlNames[sign]};`)],
  ["as HTML with numbers", (text) => text.replace(/[^a-z0-9 ]/g, (sign) => `&#${sign.charCodeAt(0)};`)],
];
const htmlNames: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
const toUnicodeEscape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
const hardToHide = [
  "a&b<c>d\"e'f&g<h>i",
  "(say!it*three-times')",
  "a+b c+d e+f 100%zz",
  "back\\sla\\\\shes\\\\all\\over",
  "passwörter für 漢字漢字",
];

describe.each(ways)("a secret that a service echoes %s is not shown", (_, encode) => {
  test.each(hardToHide)("%s", async (secret) => {
    const server = await createServer(refuseWith(() => `Denied ${encode(secret)} end`));
    const url = server.url.replace("//", `//user:${encodeURIComponent(secret)}@`);
    const owner = { address, authToken, ...quick };
    const errors = [
      await failure(kavachRecoverShards(cid, { ...owner, endpoints: { keyNodes: url } })),
      await failure(
        kavachRecoverShards(cid, { ...owner, endpoints: endpointsAt(server.url), dynamicData: { secret } }),
      ),
    ];
    for (const { message } of errors) expect(message).toMatch(/^Denied [\\"]*\[secret\][\\"]* end$/);
  });
});

test("the Authorization header does not show a short password, nor a user name that is a token", async () => {
  const server = await createServer(
    refuseWith(({ headers }) => `Denied ${headers["authorization"]}: a-token-of-mine-9`),
  );
  for (const credentials of ["me:a@cd", "a-token-of-mine-9", "a-token-of-mine-9:"]) {
    const endpoints = { api: server.url.replace("//", `//${credentials}@`) };
    const error = await failure(getFileInfo(cid, { endpoints }));
    const serverMessage = String(error.details["serverMessage"]);
    expect(serverMessage).toMatch(/^Denied (Basic )?\[secret\]/);
    if (credentials.startsWith("a-token")) expect(serverMessage).not.toContain("token-of-mine");
  }
});

test.each([
  ["signature", "Invalid Signature"],
  ["secret", "the secret of this file is not known"],
  ["not-15-letters!", "this has not-15-letters! in it"],
  ["keyShards must be an array", "keyShards must be an array of 5 objects"],
  ["Invalid Signature", "Invalid Signature"],
  ["can't recover Key", "can't recover Key"],
  ["request timed out", "Request timed out"],
  ["HTTP error! status:", "HTTP error! status: 400"],
])("the value %s does not garble the message %s", async (value, message) => {
  const server = await createServer(refuseWith(() => message));
  const owner = { address, authToken, ...quick, endpoints: endpointsAt(server.url) };
  const error = await failure(kavachRecoverShards(cid, { ...owner, dynamicData: { value } }));
  expect(error.message).toBe(message);
});

test("a long secret with any characters is not shown", async () => {
  for (const character of ["\u0001", "ü", "\\", "%", "+", "😀"]) {
    const secret = character.repeat(3_000);
    const server = await createServer(refuseWith(() => `Denied ${secret}`));
    const owner = { address, authToken, ...quick, endpoints: endpointsAt(server.url) };
    const error = await failure(kavachRecoverShards(cid, { ...owner, dynamicData: { secret } }));
    expect(error.message).toBe("Denied [secret]");
  }
});

test("a refusal of nothing but backslashes does not hold up the caller", async () => {
  const server = await createServer((_, response) => response.writeHead(403).end("\\".repeat(60_000)));
  const owner = { address, authToken, ...quick, endpoints: endpointsAt(server.url) };
  // Each of them would take longer than this test may.
  const dynamicData = Object.fromEntries(Array.from("!<'", (sign) => [sign, sign.repeat(30)]));
  const { details } = await failure(kavachRecoverShards(cid, { ...owner, dynamicData }));
  expect(details["nodes"]).toHaveLength(3);
});

test("values of dynamicData that a node echoes are shown nowhere, regardless of their depth", async () => {
  const server = await createServer(refuseWith(({ body }) => `no access with ${body}`));
  const dynamicData = {
    code: "open sesame, please",
    pin: 4_829_131_234_567_890,
    nested: { list: ["deep-secret-of-mine"], quoted: 'say "friend" and enter' },
  };
  const owner = { address, authToken, ...quick, endpoints: endpointsAt(server.url) };
  const values = ["open sesame", "4829131234567890", "deep-secret", 'say "friend"', 'say \\"friend'];
  for (const call of [kavachRecoverShards, decrypt]) {
    expectNoSecrets(await failure(call(cid, { ...owner, dynamicData })), values);
  }
  const health = JSON.stringify(await kavachInspect(cid, { ...owner, dynamicData }));
  expect(health).toContain("[secret]");
  expect(values.filter((secret) => health.includes(secret))).toEqual([]);
});

test.each<[name: string, encode: (secret: string) => string]>([
  ["in upper case", (secret) => secret.toUpperCase()],
  ["in base64", (secret) => Buffer.from(secret).toString("base64")],
  ["in base64 with its neighbours", (secret) => Buffer.from(`Bearer ${secret}, it was`).toString("base64")],
  ["in base64, shifted by one character", (secret) => Buffer.from(`"${secret}`).toString("base64url")],
  ["percent-encoded", (secret) => encodeURIComponent(secret)],
])("a bearer that a service echoes %s is not shown", async (_, encode) => {
  const bearer = "jwt:Header-09.Payload_~~>>??.Token-Secret";
  const server = await createServer(refuseWith(({ headers }) => encode(String(headers["authorization"]).slice(7))));
  const options = { apiKey: bearer, endpoints: endpointsAt(server.url) };
  const error = await failure(upload(new Uint8Array(9), options));
  const shown = String(error.details["serverMessage"]);
  expect(shown).toContain("[secret]");
  const middle = encode(bearer).slice(12, 30);
  expect(renderAll(error)).not.toContain(middle);
});

test("the error keeps only the message and code of a signer's error, and no key", async () => {
  const privateKey = `0x${"7a".repeat(32)}`;
  const signer = {
    getAddress: () => address,
    signMessage: async () => {
      throw Object.assign(new Error(`cannot sign with ${privateKey}`), { code: 4001, wallet: { privateKey } });
    },
  };
  const server = await createServer((_, response) =>
    sendJson(response, "Please prove you are the owner of this address"),
  );
  const error = await failure(createApiKey({ signer, endpoints: endpointsAt(server.url) }));
  expect(error.code).toBe("SIGNATURE_REJECTED");
  expect(error.cause).toMatchObject({ message: "cannot sign with [hex]", code: 4001 });
  expectNoSecrets(error, [privateKey, privateKey.slice(2)]);
});

describe("a service's message is printed on one line, and does nothing to a terminal", () => {
  const hostile = "\u001b[31mred\u001b[0m\r\nERROR forged line\u0085\u2028\u202egnp.exe\u2066\u0007\u009b2J\ud800";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
  const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud800-\udfff]/;
  const quickly = (url: string) => ({ address, authToken, ...quick, endpoints: endpointsAt(url) });

  /** Collects every string in a JSON value. */
  function collectStrings(json: string): string[] {
    const strings: string[] = [];
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === "string") strings.push(value);
      return value;
    });
    return strings;
  }

  test.each<[name: string, Handler]>([
    ["in a refusal", (_, response) => sendJson(response, { message: { error: hostile } }, 403)],
    ["in a success", (_, response) => sendJson(response, { message: hostile })],
    ["as plain text", (_, response) => void response.writeHead(500).end(hostile)],
    ["as the title of a page", (_, response) => void response.writeHead(502).end(`<title>${hostile}</title>`)],
    ["as a CID", (_, response) => sendJson(response, { Name: hostile, Hash: hostile })],
  ])("%s", async (_, handler) => {
    const { url } = await createServer(handler);
    const errors = [
      await failure(kavachShare(cid, { ...quickly(url), shareTo: address })),
      await failure(kavachRecoverShards(cid, quickly(url))),
      await failure(upload(new Uint8Array(1), { apiKey, endpoints: endpointsAt(url) })),
      await failure(
        download(cid, { endpoints: { gateway: `${url}/none` } }).then(() =>
          getFileInfo(cid, { endpoints: { api: url } }),
        ),
      ),
    ];
    for (const error of errors) {
      expect(error.message).not.toMatch(unprintable);
      expect(String(error)).not.toMatch(unprintable);
      expect(String(error.details["serverMessage"])).not.toMatch(unprintable);
      expect(collectStrings(JSON.stringify(error)).filter((text) => unprintable.test(text))).toEqual([]);
    }
  });

  test("so is the message of a chain's node", async () => {
    const { url } = await createServer((_, response) =>
      sendJson(response, { jsonrpc: "2.0", id: null, error: { code: -1, message: hostile } }),
    );
    const privateKey = "1".repeat(64);
    const error = await failure(payWithToken({ network: "polygon", token: "usdc", amount: 1n, privateKey, rpc: url }));
    expect(error.message).toMatch(/refused: .*red/);
    expect(error.message).not.toMatch(unprintable);
  });
});
