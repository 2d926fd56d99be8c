import { base36 } from "multiformats/bases/base36";
import { CID } from "multiformats/cid";
import { beforeAll, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";

const devnet = devnetForTests();
const ipns = (method: string, call: string, bearer?: string) =>
  send(method, `${devnet().endpoints.api}/api/ipns/${call}`, undefined, bearer);
const read = async (path: string) => {
  const response = await fetch(`${devnet().endpoints.gateway}/ipns/${path}`);
  return [response.status, await response.text()];
};
let key = "";
let otherKey = "";
const cids: string[] = [];
beforeAll(async () => {
  key = await getApiKey(devnet(), account(devnet(), 0));
  otherKey = await getApiKey(devnet(), account(devnet(), 1));
  for (const content of ["one", "two"]) {
    const response = await add(devnet(), key, { "site/index.html": content });
    cids.push(((await response.json()) as { Hash: string }).Hash);
  }
});

type Key = { ipnsName: string; ipnsId: string };
const generate = async (bearer = key) => (await ipns("GET", "generate_key", bearer)).body as Key;

test("the id of a new name is that of an ed25519 key", async () => {
  const { ipnsName, ipnsId } = await generate();
  expect(ipnsName).toMatch(/^[0-9a-f]{32}$/);
  expect(ipnsId).toMatch(/^k51qzi5uqu5d[0-9a-z]{50}$/);
  const { code, multihash } = CID.parse(ipnsId, base36);
  expect([code, multihash.code, ...multihash.digest.subarray(0, 4)]).toEqual([0x72, 0, 8, 1, 18, 32]);
  expect(multihash.digest).toHaveLength(36);
  expect((await generate()).ipnsId).not.toBe(ipnsId);
});

test("a name resolves to its last publication until it is removed", async () => {
  const { ipnsName, ipnsId } = await generate();
  expect((await read(ipnsId))[0]).toBe(404);
  for (const [index, content] of ["one", "two"].entries()) {
    const { status, body } = await ipns("GET", `publish_record?cid=${cids[index]}&keyName=${ipnsName}`, key);
    expect([status, body]).toEqual([200, { Name: ipnsId, Value: `/ipfs/${cids[index]}` }]);
    expect(await read(`${ipnsId}/index.html`)).toEqual([200, content]);
  }
  const removed = await ipns("DELETE", `remove_key?keyName=${ipnsName}`, key);
  expect(removed).toEqual({ status: 200, body: { Keys: [{ Name: ipnsName, Id: ipnsId }] } });
  expect((await read(ipnsId))[0]).toBe(404);
});

test("an account lists its own names, published or not", async () => {
  const [first, second] = [await generate(otherKey), await generate(otherKey)];
  await ipns("GET", `publish_record?cid=${cids[0]}&keyName=${second.ipnsName}`, otherKey);
  const publicKey = account(devnet(), 1).address;
  expect((await ipns("GET", "get_ipns_records", otherKey)).body).toEqual([
    { ...first, publicKey, cid: null, lastUpdate: expect.any(Number) },
    { ...second, publicKey, cid: cids[0], lastUpdate: expect.any(Number) },
  ]);
});

test("an unknown name, or one of another account, is a 500", async () => {
  const { ipnsName } = await generate(otherKey);
  for (const name of ["unknown", ipnsName]) {
    const publish = await ipns("GET", `publish_record?cid=${cids[0]}&keyName=${name}`, key);
    const remove = await ipns("DELETE", `remove_key?keyName=${name}`, key);
    expect([publish.status, remove.status]).toEqual([500, 500]);
  }
});

test("an invalid content id is a 400, and a missing bearer a 401", async () => {
  const { ipnsName } = await generate();
  expect((await ipns("GET", `publish_record?cid=x&keyName=${ipnsName}`, key)).status).toBe(400);
  const calls = [
    ["GET", "generate_key"],
    ["GET", "get_ipns_records"],
    ["GET", `publish_record?cid=${cids[0]}&keyName=${ipnsName}`],
    ["DELETE", `remove_key?keyName=${ipnsName}`],
  ] as const;
  for (const [method, call] of calls) expect((await ipns(method, call)).status).toBe(401);
});
