import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Devnet, startDevnet } from "../../packages/devnet/src/index.ts";
import {
  createApiKey,
  createKit,
  decrypt,
  download,
  type KeyReport,
  kavachRevoke,
  kavachShare,
  type UnfinishedUpload,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";

const CHUNK = 256 * 1024;
const quick = { pauseMs: 0, retryMs: 0 };
let devnet: Devnet;
let endpoints: Devnet["endpoints"];
let owner: Wallet;
let friend: Wallet;
let apiKey: string;

beforeAll(async () => {
  devnet = await startDevnet();
  endpoints = devnet.endpoints;
  const [first, second] = devnet.accounts.map(({ privateKey }) => new Wallet(privateKey));
  if (!first || !second) throw new Error("the devnet has no accounts");
  [owner, friend] = [first, second];
  apiKey = await createApiKey({ signer: owner, endpoints });
});

afterAll(() => devnet.close());

function someBytes(size: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * seed + (at >> 7)) % 253);
}

test("files of edge-case sizes are decrypted unchanged, as bytes, Blob, stream and file", async () => {
  const sizes = [0, 1, 15, 16, 17, CHUNK - 45, CHUNK - 44, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 44];
  const files = sizes.map((size, at) => ({ name: `${size}.bin`, bytes: someBytes(size, at + 3) }));
  const kit = createKit({ apiKey, signer: owner, endpoints, ...quick });
  const stored = await kit.uploadEncrypted(files.map(({ name, bytes }) => new File([bytes as BlobPart], name)));
  expect(stored.map(({ Name }) => Name)).toEqual(files.map(({ name }) => name));
  const folder = await scratch();
  for (const [at, { Hash }] of stored.entries()) {
    const expected = Buffer.from(files[at]?.bytes ?? []);
    const to = join(folder, String(at));
    const blob = await kit.decrypt(Hash, { as: "blob" });
    const stream = await kit.decrypt(Hash, { as: "stream" });
    await kit.decrypt(Hash, { to });
    expect(expected.equals(await kit.decrypt(Hash))).toBe(true);
    expect(expected.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true);
    expect(expected.equals(Buffer.from(await new Response(stream).arrayBuffer()))).toBe(true);
    expect(expected.equals(await readFile(to))).toBe(true);
    expect((await kit.download(Hash)).length).toBe(expected.length + 44);
  }
});

test("a folder is uploaded unencrypted, and its files are downloaded", async () => {
  const folder = await writeTree(await scratch(), { "dir/a.txt": "one", "dir/deep/b.txt": "two" });
  const [root] = await upload(join(folder, "dir"), { apiKey, endpoints });
  expect(root?.Name).toBe("dir");
  const inside = await fetch(`${endpoints.gateway}/ipfs/${root?.Hash}/deep/b.txt`);
  expect(await inside.text()).toBe("two");
});

test("an address that a file is shared with opens it with two nodes down, until it is revoked", async () => {
  const [file] = await uploadEncrypted(new TextEncoder().encode("for two"), {
    apiKey,
    signer: owner,
    endpoints,
    ...quick,
  });
  const cid = file?.Hash ?? "";
  const asFriend = { signer: friend, endpoints, ...quick };
  const refusal = { code: "NODE_REFUSED", message: "Access Denied" };
  expect(await failure(decrypt(cid, asFriend))).toMatchObject(refusal);
  await kavachShare(cid, { signer: owner, endpoints, ...quick, shareTo: friend.address });
  for (const node of [2, 4]) devnet.stopNode(node);
  expect(Buffer.from(await decrypt(cid, asFriend)).toString()).toBe("for two");
  for (const node of [2, 4]) devnet.startNode(node);
  await kavachRevoke(cid, { signer: owner, endpoints, ...quick, revokeTo: friend.address });
  expect(await failure(decrypt(cid, asFriend))).toMatchObject(refusal);
  expect(Buffer.from(await decrypt(cid, { signer: owner, endpoints, ...quick })).toString()).toBe("for two");
});

test("a file shared during its upload can be opened by that address immediately, and by nobody else", async () => {
  const options = { apiKey, signer: owner, endpoints, ...quick, shareTo: friend.address };
  const [file] = await uploadEncrypted(new TextEncoder().encode("at once"), options);
  const cid = file?.Hash ?? "";
  expect(Buffer.from(await decrypt(cid, { signer: friend, endpoints, ...quick })).toString()).toBe("at once");
  const stranger = await failure(decrypt(cid, { signer: Wallet.createRandom(), endpoints, ...quick }));
  expect(stranger).toMatchObject({ code: "NODE_REFUSED", message: "Access Denied" });
});

test("an upload whose shards stop at a dead node is resumed later, and then opens", async () => {
  devnet.stopNode(4);
  const options = { apiKey, signer: owner, endpoints, ...quick };
  const error = (await failure(uploadEncrypted(new Uint8Array([1, 2, 3]), options))) as UnfinishedUpload;
  expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED", message: "Error encrypting file", details: { node: 4 } });
  devnet.startNode(4);
  const [file] = await error.resume();
  expect(await createKit(options).decrypt(file?.Hash ?? "")).toEqual(new Uint8Array([1, 2, 3]));
});

test("the report names a faulty node", async () => {
  const options = { apiKey, signer: owner, endpoints, ...quick };
  const [file] = await uploadEncrypted(new Uint8Array([4, 5, 6]), options);
  const mend = devnet.faults.add({
    service: "keyNodes",
    node: 5,
    path: "/api/retrieveSharedKey",
    action: { kind: "wrong-shard" },
  });
  const reports: KeyReport[] = [];
  const onKeyRecovered = (report: KeyReport) => void reports.push(report);
  // Once in 400,000 runs none of these decryptions queries the faulty node.
  for (let run = 0; run < 14; run++) {
    expect(await createKit(options).decrypt(file?.Hash ?? "", { onKeyRecovered })).toEqual(new Uint8Array([4, 5, 6]));
  }
  mend();
  for (const { nodes, faultyNodes } of reports) expect(faultyNodes).toEqual(nodes.includes(5) ? [5] : []);
  expect(reports.some(({ faultyNodes }) => faultyNodes.length > 0)).toBe(true);
});

test("an unknown file", async () => {
  const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  expect((await failure(download(cid, { endpoints }))).message).toBe("HTTP error! status: 404");
  const error = await failure(decrypt(cid, { signer: owner, endpoints, ...quick }));
  expect(error).toMatchObject({ code: "CID_NOT_FOUND", message: "cid not found" });
});
