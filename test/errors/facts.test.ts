import { join } from "node:path";
import { expect, test } from "vitest";
import {
  download,
  getBalance,
  getDealStatus,
  getPrice,
  type KeeplightError,
  kavachGenerate,
  kavachSaveShards,
  kavachShare,
  payWithToken,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { address, cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const owner = { address, authToken: "jwt:t", endpoints: endpointsAt("http://127.0.0.1:1") };

/** The line that Node prints first for an uncaught error. */
const firstLine = (error: KeeplightError) => error.stack?.split("\n")[0];

test("an unreadable source: its whole path, and the reason", async () => {
  const path = join(await scratch(), "no", "such", "file.txt");
  const calls = [upload(path, { apiKey: "k" }), uploadEncrypted(path, { ...owner, apiKey: "k" }), getPrice(path)];
  for (const error of await Promise.all(calls.map(failure))) {
    expect(error).toMatchObject({
      code: "SOURCE_UNREADABLE",
      message: `The source could not be read: ${path} (ENOENT)`,
      details: { name: "file.txt", path, code: "ENOENT" },
    });
  }
});

test("a file that cannot be written: its path, and the reason", async () => {
  const to = join(await scratch(), "no-folder", "file.txt");
  const { url } = await createServer((_, response) => response.end("bytes"));
  const error = await failure(download(cid, { to, endpoints: { gateway: url } }));
  expect(error).toMatchObject({ code: "CANNOT_WRITE", details: { path: to, code: "ENOENT" } });
  expect(error.message).toBe(`Could not write: ${to} (ENOENT)`);
});

test("an invalid address: its value and position in the list; the message stays fixed", async () => {
  const error = await failure(kavachShare(cid, { ...owner, shareTo: [address, "vitalik.eth", address] }));
  expect(error).toMatchObject({
    code: "INVALID_ADDRESS",
    message: "Invalid public Key",
    details: { address: '"vitalik.eth"', position: 1 },
  });
  expect(String(error)).toBe('KeeplightError: Invalid public Key: "vitalik.eth" at position 1');
  expect(firstLine(error)).toContain('Invalid public Key: "vitalik.eth" at position 1');
  const alone = await failure(kavachShare(cid, { ...owner, shareTo: 5 as never }));
  expect(alone.details).toEqual({ address: "number" });
});

test("an invalid CID: its value; the message stays fixed", async () => {
  const error = await failure(getDealStatus(`/ipfs/${cid.slice(0, 20)}`));
  expect(error).toMatchObject({
    code: "INVALID_CID",
    message: "Invalid CID",
    details: { cid: `"/ipfs/${cid.slice(0, 20)}"` },
  });
  expect(firstLine(error)).toContain(`Invalid CID: "/ipfs/${cid.slice(0, 20)}"`);
});

test("a key passed as an address or a CID is not shown", async () => {
  const { masterKey } = await kavachGenerate();
  const errors = [
    await failure(kavachShare(cid, { ...owner, shareTo: `0x${masterKey}` })),
    await failure(getDealStatus(masterKey)),
  ];
  for (const error of errors) {
    expect(`${String(error)}${error.stack}${JSON.stringify(error)}`).not.toContain(masterKey.slice(8));
  }
});

test("a refusal: the service's message after the fixed message", async () => {
  const { url } = await createServer((_, response) => sendJson(response, { error: "Data limit exceeded" }, 403));
  const error = await failure(getBalance({ apiKey: "k", endpoints: endpointsAt(url) }));
  expect(error.message).toBe("Request failed with status code 403");
  expect(error.details["serverMessage"]).toBe("Data limit exceeded");
  expect(String(error)).toBe("KeeplightError: Request failed with status code 403: Data limit exceeded");
  expect(firstLine(error)).toContain("Request failed with status code 403: Data limit exceeded");
  expect(JSON.parse(JSON.stringify(error)).message).toBe("Request failed with status code 403");
});

test("an unsupported network: the supported ones, and the nearest name", async () => {
  for (const call of [
    () => getPrice(1, { network: "Polygon" as never }),
    () => payWithToken({ network: "Polygon", token: "usdc", amount: 1n, privateKey: "1".repeat(64) } as never),
  ]) {
    const error = await failure(call());
    expect(error).toMatchObject({
      code: "UNSUPPORTED_NETWORK",
      message: "Unsupported Network!!!",
      details: { network: "Polygon", nearest: "polygon", networks: expect.arrayContaining(["filecoin", "polygon"]) },
    });
    expect(String(error)).toBe('KeeplightError: Unsupported Network!!!: "Polygon", did you mean polygon?');
  }
  const unknown = await failure(getPrice(1, { network: "bitcoin" as never }));
  expect(unknown.details["nearest"]).toBeUndefined();
  expect(String(unknown)).toContain('"bitcoin", not one of fantom, polygon');
});

test("an unsupported token: the supported ones, and the nearest name", async () => {
  const error = await failure(getPrice(1, { token: "USDC" as never }));
  expect(error).toMatchObject({
    code: "TOKEN_NOT_SUPPORTED",
    message: "Token USDC cannot be paid with: this network does not have it, did you mean usdc?",
    details: { token: "USDC", nearest: "usdc", tokens: ["native", "dai", "usdc", "usdt"] },
  });
  expect((await failure(getPrice(1, { network: "fantom-testnet", token: "dai" }))).message).toBe(
    "Token dai cannot be paid with: this network does not have it, it has native",
  );
});

test("a malformed shard: its position and problem; only a list that is not five objects is reported as such", async () => {
  const { keyShards } = await kavachGenerate();
  const [first] = keyShards;
  const wrong: [shards: unknown, message: string][] = [
    [
      keyShards.with(2, { key: "1", index: "1" }),
      "keyShards[2]: index must be 64 hex characters (bls12-381) or 2 (gf256)",
    ],
    [keyShards.with(4, { key: "zz", index: first?.index ?? "" }), "keyShards[4]: index and key must be hex"],
    [keyShards.with(0, {} as never), "keyShards[0]: must have index and key"],
    [keyShards.with(1, null as never), "keyShards must be an array of 5 objects"],
    [keyShards.slice(1), "keyShards must be an array of 5 objects"],
    ["shards", "keyShards must be an array of 5 objects"],
  ];
  for (const [shards, message] of wrong) {
    const error = await failure(kavachSaveShards(cid, { ...owner, keyShards: shards as typeof keyShards }));
    expect([error.code, error.message]).toEqual(["INVALID_SHARDS", message]);
  }
});
