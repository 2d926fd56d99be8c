import { randomBytes } from "node:crypto";
import { afterEach, beforeAll, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, getJwt, send } from "../../../test/support/devnet-wire.ts";
import { type Attack, type DevnetOptions, startDevnet } from "../src/index.ts";

const devnet = devnetForTests();
afterEach(() => devnet().attacks.clear());

const shards = Array.from({ length: 5 }, (_, at) => ({ key: randomBytes(32).toString("hex"), index: `0${at + 1}` }));
const cid = "some-file";
const tokens: string[] = [];
beforeAll(async () => {
  for (const n of [0, 1]) tokens.push((await getJwt(devnet(), account(devnet(), n))).token);
  for (const node of [1, 2, 3, 4, 5]) await change(node, "POST", { payload: shards[node - 1] });
});

const path = (name: string, node: number) => `${devnet().endpoints.keyNodes}/api/${name}/${node}`;
const as = (n: number, fields: object = {}) => ({ address: account(devnet(), n).address, cid, ...fields });
const change = (node: number, method: string, fields: object, n = 0) =>
  send(method, path("setSharedKey", node), as(n, fields), tokens[n]);
const retrieve = (node: number, n = 0) => send("POST", path("retrieveSharedKey", node), as(n), tokens[n]);
const getAccess = () => send("GET", `${devnet().endpoints.keyNodes}/api/fileAccessConditions/get/${cid}`);
const holds = (node: number) => ({ status: 200, body: { payload: shards[node - 1] } });

test("nodes return shards of the attacker, to those who may have a shard", async () => {
  const other = { key: "ab".repeat(32), index: "07" };
  const restore = devnet().attacks.add({ kind: "return-shards", cid, shards: { 2: other } });
  expect(await retrieve(2)).toEqual({ status: 200, body: { payload: other } });
  expect(await retrieve(3)).toEqual(holds(3));
  expect((await retrieve(2, 1)).status).toBe(403);
  restore();
  expect(await retrieve(2)).toEqual(holds(2));
});

test("nodes admit a stranger, and only these nodes", async () => {
  devnet().attacks.add({ kind: "admit", nodes: [4], addresses: [account(devnet(), 1).address] });
  expect(await retrieve(4, 1)).toEqual(holds(4));
  expect((await retrieve(5, 1)).status).toBe(403);
});

test("nodes confirm changes and carry out none", async () => {
  const shareTo = [account(devnet(), 1).address];
  devnet().attacks.add({ kind: "ignore-changes", nodes: [1] });
  for (const node of [1, 2]) expect((await change(node, "PUT", { shareTo })).status).toBe(200);
  expect([(await retrieve(1, 1)).status, (await retrieve(2, 1)).status]).toEqual([403, 200]);
  devnet().attacks.clear();
  await change(2, "DELETE", { revokeTo: shareTo });
});

test("nodes treat another address as the owner, until the attack ends", async () => {
  devnet().attacks.add({ kind: "seize", nodes: [3], owner: account(devnet(), 1).address });
  expect([(await retrieve(3)).status, (await retrieve(3, 1)).status]).toEqual([403, 200]);
  devnet().attacks.clear();
  expect([(await retrieve(3)).status, (await retrieve(3, 1)).status]).toEqual([200, 403]);
});

test("the nodes report another owner and other recipients", async () => {
  const before = (await getAccess()).body;
  devnet().attacks.add({ kind: "misreport-access", cid, owner: account(devnet(), 1).address, sharedTo: [] });
  expect(await getAccess()).toMatchObject({ body: { owner: account(devnet(), 1).address, sharedTo: [] } });
  devnet().attacks.clear();
  expect((await getAccess()).body).toEqual(before);
});

test("nodes repeat their first response after a shard is replaced", async () => {
  const payload = { key: "cd".repeat(32), index: "01" };
  devnet().attacks.add({ kind: "replay", service: "keyNodes", cid, nodes: [1] });
  expect(await retrieve(1)).toEqual(holds(1));
  await change(1, "POST", { payload });
  expect(await retrieve(1)).toEqual(holds(1));
  devnet().attacks.clear();
  expect(await retrieve(1)).toEqual({ status: 200, body: { payload } });
  await change(1, "POST", { payload: shards[0] });
});

test("services change content, descriptions, listings and the responses to uploads", async () => {
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const store = async (files: Record<string, string>) => (await add(devnet(), apiKey, files)).json();
  const { Hash } = (await store({ "a.txt": "content" })) as { Hash: string };
  const list = async () =>
    (await send("GET", `${devnet().endpoints.api}/api/user/files_uploaded?lastKey=null`, undefined, apiKey)).body;
  const fetchText = async () => (await fetch(`${devnet().endpoints.gateway}/ipfs/${Hash}`)).text();

  devnet().attacks.add({ kind: "tamper-content", cid: Hash, change: (bytes) => bytes.subarray(0, 4) });
  expect(await fetchText()).toBe("cont");
  devnet().attacks.add({ kind: "tamper-record", cid: Hash, claims: { fileName: "b.txt" } });
  expect(await list()).toMatchObject({ fileList: [{ fileName: "b.txt", cid: Hash }] });
  devnet().attacks.add({ kind: "tamper-record", cid: Hash, claims: null });
  expect(await list()).toEqual({ fileList: [], totalFiles: 0 });
  devnet().attacks.clear();
  expect(await fetchText()).toBe("content");

  devnet().attacks.add({ kind: "replay", service: "api" });
  const before = await list();
  devnet().attacks.add({ kind: "misreport-upload", change: (items) => items.map((item) => ({ ...item, Hash })) });
  expect(await store({ "c.txt": "other" })).toMatchObject({ Name: "c.txt", Hash });
  expect(await list()).toEqual(before);
  devnet().attacks.clear();
  expect(await list()).toMatchObject({ totalFiles: 2 });
});

test("colluding nodes know their own shards", () => {
  expect(devnet().attacks.readShards(cid, [1, 3])).toEqual([shards[0], shards[2]]);
  expect(devnet().attacks.readShards("unknown", [1, 2, 3])).toEqual([]);
  expect(() => devnet().attacks.readShards(cid, [6])).toThrow("There is no key node 6");
});

test.each([
  [null, /^Invalid option attack: expected an object/],
  [{ kind: "admits" }, 'Invalid option attack.kind: "admits": did you mean admit?'],
  [{ kind: "admit", nodes: [1], address: [] }, "Unknown option attack.address: did you mean addresses?"],
  [{ kind: "admit", nodes: [], addresses: [] }, /^Invalid option attack\.nodes: expected a list of nodes from 1 to 5/],
  [{ kind: "admit", nodes: [1], addresses: ["0x"] }, /attack\.addresses: expected a list of addresses/],
  [{ kind: "ignore-changes" }, /attack\.nodes/],
  [{ kind: "seize", nodes: [6], owner: "0x" }, /attack\.nodes/],
  [{ kind: "seize", nodes: [1] }, /attack\.owner: expected an address/],
  [{ kind: "return-shards", shards: { 6: {} } }, /attack\.shards\.6/],
  [{ kind: "return-shards", shards: [] }, /attack\.shards: expected an object of shards by node/],
  [{ kind: "replay", service: "gateway" }, /attack\.service/],
  [{ kind: "tamper-content" }, /attack\.change: expected a function/],
  [{ kind: "relay-message", service: "upload" }, /attack\.service/],
  [{ kind: "relay-message", service: "api" }, /attack\.onSignature: expected a function/],
  [{ kind: "keep-tokens", onToken() {} }, /attack\.nodes/],
  [{ kind: "keep-tokens", nodes: [4] }, /attack\.onToken: expected a function/],
  [
    { kind: "tamper-record", claims: { name: "x" } },
    /^Unknown option attack\.claims\.name: expected one of cid, fileName,/,
  ],
  [{ kind: "misreport-access", cid: 5 }, /attack\.cid: expected a content id/],
])("%j would have no effect and is refused", (attack, message) => {
  const expected = message instanceof RegExp ? expect.stringMatching(message) : message;
  const add = () => devnet().attacks.add(attack as Attack);
  expect(add).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message: expected }));
});

test("attacks may be active from the start", async () => {
  const attacks = [{ kind: "replay", service: "gateway" }];
  await expect(startDevnet({ attacks } as unknown as DevnetOptions)).rejects.toThrow("attacks[0].service");
  await expect(startDevnet({ attacks: {} } as unknown as DevnetOptions)).rejects.toThrow("attacks: expected an array");
  const started = await startDevnet({ attacks: [{ kind: "tamper-content", change: () => new Uint8Array() }] });
  const apiKey = await getApiKey(started, account(started, 0));
  const { Hash } = (await (await add(started, apiKey, { "a.txt": "content" })).json()) as { Hash: string };
  expect(await (await fetch(`${started.endpoints.gateway}/ipfs/${Hash}`)).text()).toBe("");
  await started.close();
});
