import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as dagPb from "@ipld/dag-pb";
import { BlackHoleBlockstore } from "blockstore-core";
import { type ImporterOptions, importer } from "ipfs-unixfs-importer";
import { fixedSize, rabin } from "ipfs-unixfs-importer/chunker";
import { balanced, trickle } from "ipfs-unixfs-importer/layout";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import { sha256, sha512 } from "multiformats/hashes/sha2";
import { beforeAll, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { type Devnet, startDevnet } from "../src/index.ts";
import { type Block, createRepeatedTree, encodeCar } from "./car.ts";
import { exportByBlocks, exportFromCar, fetchBlock, fetchCar } from "./gateway-client.ts";

const devnet = devnetForTests({ chunking: { chunkBytes: 1_000, links: 4 } });
const content = randomBytes(30_500);
let key = "";
beforeAll(async () => {
  key = await getApiKey(devnet(), account(devnet(), 0));
});

const gateway = () => devnet().endpoints.gateway;

async function addFiles(files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>, version = 1, to = devnet()) {
  const bearer = to === devnet() ? key : await getApiKey(to, account(to, 0));
  return ((await (await add(to, bearer, files, `cid-version=${version}`)).json()) as { Hash: string }).Hash;
}

async function sendCar(root: CID, blocks: readonly Block[], to: Devnet = devnet()): Promise<Response> {
  const body = new FormData();
  body.append("file", new Blob([encodeCar([root], blocks)]), "a.car");
  const bearer = to === devnet() ? key : await getApiKey(to, account(to, 0));
  const headers = { authorization: `Bearer ${bearer}` };
  return fetch(`${to.endpoints.upload}/api/v0/dag/import`, { method: "POST", body, headers });
}

async function importCar(root: CID, blocks: readonly Block[], to: Devnet = devnet()): Promise<void> {
  const response = await sendCar(root, blocks, to);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(root.toString())]);
}

/** Imports files as other tools do. */
async function createBlocks(files: Readonly<Record<string, Uint8Array>>, options: ImporterOptions) {
  const blocks: Block[] = [];
  const store = new BlackHoleBlockstore();
  store.put = (cid, bytes) => {
    blocks.push({ cid, bytes: bytes as Uint8Array });
    return cid;
  };
  const candidates = Object.entries(files).map(([path, bytes]) => ({ path, content: bytes }));
  let root: CID | undefined;
  for await (const { cid } of importer(candidates, store, options)) root = cid;
  if (!root) throw new Error("no files");
  return { root, blocks };
}

const cids = (blocks: readonly { cid: CID }[]) => blocks.map(({ cid }) => cid.toString());

/** Lists the blocks of a tree depth first, each once. */
async function listDepthFirst(cid: CID | string, seen = new Set<string>()): Promise<string[]> {
  const root = CID.parse(String(cid));
  if (seen.has(String(root))) return [];
  seen.add(String(root));
  const listed = [String(root)];
  const links = root.code === dagPb.code ? dagPb.decode(await fetchBlock(gateway(), root)).Links : [];
  for (const { Hash } of links) listed.push(...(await listDepthFirst(Hash, seen)));
  return listed;
}

describe("blocks", () => {
  test.each([0, 1])("of an upload in version %i are all served", async (version) => {
    const cid = await addFiles({ content }, version);
    expect(content.equals(await exportByBlocks(gateway(), cid))).toBe(true);
    expect(await listDepthFirst(cid)).toHaveLength(31 + 8 + 2 + 1);
  });

  test.each([
    ["empty", 0],
    ["one block", 1_000],
    ["two blocks", 1_001],
  ])("of a file of %s", async (_, bytes) => {
    for (const version of [0, 1]) {
      const cid = await addFiles({ f: content.subarray(0, bytes) }, version);
      expect(content.subarray(0, bytes).equals(await exportByBlocks(gateway(), cid))).toBe(true);
    }
  });

  test("have the headers of the trustless gateway specification", async () => {
    const cid = await addFiles({ content });
    const expected = {
      "content-type": "application/vnd.ipld.raw",
      "content-disposition": `attachment; filename="${cid}.bin"`,
      "cache-control": "public, max-age=29030400, immutable",
      etag: `"${cid}.raw"`,
      "x-content-type-options": "nosniff",
      "content-length": String((await fetchBlock(gateway(), cid)).byteLength),
      "access-control-allow-origin": "https://page.example",
    };
    const headers = { accept: "application/vnd.ipld.raw", origin: "https://page.example" };
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(`${gateway()}/ipfs/${cid}`, { method, headers });
      expect(Object.fromEntries(response.headers)).toMatchObject(expected);
      expect((await response.arrayBuffer()).byteLength > 0).toBe(method === "GET");
    }
    const again = await fetch(`${gateway()}/ipfs/${cid}?format=raw`, { headers: { "if-none-match": expected.etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("that are inlined in their ids are served, and unknown ones are a 404", async () => {
    for (const format of ["", "?format=raw"]) {
      const probe = await fetch(`${gateway()}/ipfs/bafkqaaa${format}`);
      expect([probe.status, await probe.text()]).toEqual([200, ""]);
    }
    const inline = CID.createV1(raw.code, identity.digest(Buffer.from("inline")));
    expect(Buffer.from(await fetchBlock(gateway(), inline)).toString()).toBe("inline");
    const unknown = "bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
    for (const format of ["raw", "car"]) {
      expect((await fetch(`${gateway()}/ipfs/${unknown}?format=${format}`)).status).toBe(404);
    }
    expect((await fetch(`${gateway()}/ipfs/${unknown}?format=tar`)).status).toBe(400);
  });
});

describe("blocks of an archive", () => {
  const chunked = (chunkSize: number, options: ImporterOptions = {}): ImporterOptions => ({
    cidVersion: 1,
    rawLeaves: true,
    chunker: fixedSize({ chunkSize }),
    ...options,
  });

  test.each<[string, ImporterOptions]>([
    ["in chunks of 700 bytes", chunked(700)],
    ["in one block", chunked(1_048_576)],
    ["in chunks of varying size", chunked(0, { chunker: rabin({ minChunkSize: 256, avgChunkSize: 512 }) })],
    ["as a trickle tree", chunked(500, { layout: trickle({ maxChildrenPerNode: 3 }) })],
    ["with wrapped leaves", chunked(700, { cidVersion: 0, rawLeaves: false })],
    ["with leaves of the type raw", chunked(700, { cidVersion: 1, rawLeaves: false, leafType: "raw" })],
    ["as a narrow tree", chunked(700, { rawLeaves: false, layout: balanced({ maxChildrenPerNode: 2 }) })],
  ])("%s are all served", async (_, options) => {
    const bytes = randomBytes(20_000);
    const { root, blocks } = await createBlocks({ bytes }, options);
    await importCar(root, blocks);
    for (const block of blocks) {
      expect(Buffer.from(await fetchBlock(gateway(), block.cid)).equals(block.bytes), String(block.cid)).toBe(true);
    }
    expect(bytes.equals(await exportFromCar(await fetchCar(gateway(), String(root)), String(root)))).toBe(true);
    const range = { offset: 3_456, length: 4_321 };
    const part = await fetchCar(gateway(), `${root}?entity-bytes=3456:7776`);
    expect((await exportFromCar(part, String(root), range)).equals(bytes.subarray(3_456, 7_777))).toBe(true);
    if (blocks.length > 1) expect(part.length).toBeLessThan(blocks.length);
  });

  test("of a sharded folder are served, and the archive of an entity lists it without its files", async () => {
    const names = Array.from({ length: 100 }, (_, n) => `entry ${n}`);
    const files = Object.fromEntries(names.map((name) => [`big/${name}`, Buffer.from(`content of ${name}`)]));
    const { root, blocks } = await createBlocks(files, chunked(700, { shardSplitThresholdBytes: 100 }));
    await importCar(root, blocks);
    const entity = await fetchCar(gateway(), `${root}?dag-scope=entity`);
    expect(cids(entity).sort()).toEqual(cids(blocks.filter(({ cid }) => cid.code === dagPb.code)).sort());
    expect(cids(await fetchCar(gateway(), String(root))).sort()).toEqual(cids(blocks).sort());
    for (const name of names.slice(-10)) {
      const path = await fetchCar(gateway(), `${root}/${encodeURIComponent(name)}?dag-scope=block`);
      expect((await exportFromCar(path, `${root}/${name}`)).toString()).toBe(`content of ${name}`);
      expect(path.length).toBeLessThan(5);
    }
    expect(await exportByBlocks(gateway(), `${root}/entry 99`)).toEqual(files["big/entry 99"]);
    expect((await fetch(`${gateway()}/ipfs/${root}/missing?format=car`)).status).toBe(404);
  });

  test("are served after a restart", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "devnet-blocks-"));
    try {
      const { root, blocks } = await createBlocks({ "d/a": content, "d/b": content.subarray(9) }, chunked(700));
      const first = await startDevnet({ dataDir });
      await importCar(root, blocks, first);
      const plain = await addFiles({ f: content }, 0, first);
      await first.close();
      const second = await startDevnet({ dataDir });
      const url = second.endpoints.gateway;
      // a leaf first, of which nothing is known yet
      const leaf = blocks.find(({ cid }) => cid.code === raw.code);
      expect(Buffer.from(await fetchBlock(url, leaf?.cid ?? "")).equals(leaf?.bytes ?? Buffer.of())).toBe(true);
      expect(content.equals(await exportByBlocks(url, plain))).toBe(true);
      expect(content.subarray(9).equals(await exportByBlocks(url, `${root}/b`))).toBe(true);
      await second.close();
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  test("are found by hashes other than SHA-256", async () => {
    const bytes = Buffer.from("hashed by SHA-512");
    const cid = CID.createV1(raw.code, await sha512.digest(bytes));
    await importCar(cid, [{ cid, bytes }]);
    expect(bytes.equals(await fetchBlock(gateway(), cid))).toBe(true);
  });

  test("that are linked many times are sent once", async () => {
    const { root, blocks } = await createRepeatedTree("file", 3, 12);
    await importCar(root, blocks);
    expect(cids(await fetchCar(gateway(), String(root)))).toEqual(cids(blocks).reverse());
    expect(cids(await fetchCar(gateway(), `${root}?entity-bytes=1:-2`))).toEqual(cids(blocks).reverse());
  });

  test("whose links state wrong sizes are refused", async () => {
    const { root, blocks } = await createBlocks({ content }, chunked(10_000));
    const node = dagPb.decode(blocks.find(({ cid }) => cid.equals(root))?.bytes ?? Buffer.of());
    const bytes = dagPb.encode({ ...node, Links: [...node.Links].reverse() });
    const cid = CID.createV1(dagPb.code, await sha256.digest(bytes));
    const response = await sendCar(cid, [...blocks, { cid, bytes }]);
    expect([response.status, await response.json()]).toEqual([400, { message: "Malformed file" }]);
  });
});

describe("an archive", () => {
  let cid = "";
  /** The leaves' ids by their place in the file. */
  let leaves: string[] = [];
  beforeAll(async () => {
    cid = await addFiles({ content });
    leaves = (await listDepthFirst(cid)).filter((listed) => CID.parse(listed).code === raw.code);
  });

  test("has the blocks of a file depth first, each once", async () => {
    expect(cids(await fetchCar(gateway(), cid))).toEqual(await listDepthFirst(cid));
    const repeated = await addFiles({ repeated: new Uint8Array(9_000) });
    expect(cids(await fetchCar(gateway(), repeated))).toEqual(await listDepthFirst(repeated));
  });

  test.each<[string, number, number]>([
    ["0:*", 0, 30],
    ["0:0", 0, 0],
    ["999:999", 0, 0],
    ["1000:1000", 1, 1],
    ["999:1000", 0, 1],
    ["4500:8999", 4, 8],
    ["-500:*", 30, 30],
    ["-501:*", 29, 30],
    ["-99999:0", 0, 0],
    ["30499:99999", 30, 30],
    ["15999:-13500", 15, 17],
    ["-1500:-501", 29, 29],
  ])("of the bytes %s has only the blocks that they need", async (range, first, last) => {
    const blocks = cids(await fetchCar(gateway(), `${cid}?dag-scope=entity&entity-bytes=${range}`));
    expect(blocks.filter((found) => leaves.includes(found))).toEqual(leaves.slice(first, last + 1));
    const nodes = blocks.filter((found) => !leaves.includes(found));
    const leafCount = last - first + 1;
    expect(nodes[0]).toBe(cid);
    // the root, and on each of the two levels below the nodes of which leaves are requested
    expect(nodes.length).toBeLessThanOrEqual(3 + Math.ceil(leafCount / 4) + Math.ceil(leafCount / 16));
  });

  test.each(["30500:*", "99999:100000", "5:4", "30499:-30000"])("of the bytes %s has only the root", async (range) => {
    expect(cids(await fetchCar(gateway(), `${cid}?entity-bytes=${range}`))).toEqual([cid]);
  });

  test("of a path starts with the blocks that lead there", async () => {
    const folder = await addFiles({ "d/e/f": content, "d/e/g": content.subarray(1), "d/h": content.subarray(2) });
    const blocks = cids(await fetchCar(gateway(), `${folder}/e/f`));
    const [middle] = dagPb.decode(await fetchBlock(gateway(), folder)).Links;
    expect(blocks).toEqual([folder, String(middle?.Hash), ...(await listDepthFirst(cid))]);
    expect(cids(await fetchCar(gateway(), `${folder}/e?entity-bytes=0:9`))).toEqual(blocks.slice(0, 2));
    expect(cids(await fetchCar(gateway(), `${folder}/e?dag-scope=block`))).toEqual(blocks.slice(0, 2));
    expect(await fetchCar(gateway(), folder)).toHaveLength(2 + 3 * 42);
    const ranged = await fetchCar(gateway(), `${folder}/e/g?entity-bytes=7:2007`);
    const part = await exportFromCar(ranged, `${folder}/e/g`, { offset: 7, length: 2_001 });
    expect(part.equals(content.subarray(8, 2_009))).toBe(true);
    for (const missing of ["x", "e/f/x", "e/x/f"]) {
      expect((await fetch(`${gateway()}/ipfs/${folder}/${missing}?format=car`)).status).toBe(404);
    }
  });

  test("has the headers of the trustless gateway specification", async () => {
    const type = "application/vnd.ipld.car; version=1; order=dfs; dups=n";
    const etags = new Set<string | null>();
    for (const query of ["", "?dag-scope=entity", "?dag-scope=block", "?entity-bytes=0:9", "?entity-bytes=0:*"]) {
      const response = await fetch(`${gateway()}/ipfs/${cid}${query}`, { method: "HEAD", headers: { accept: type } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": type,
        "content-disposition": `attachment; filename="${cid}.car"`,
        "cache-control": "public, max-age=29030400, immutable",
        "x-content-type-options": "nosniff",
      });
      expect(await response.text()).toBe("");
      etags.add(response.headers.get("etag"));
    }
    expect(etags.size).toBe(5);
  });

  test.each([
    ["dag-scope=some", 400],
    ["entity-bytes=1", 400],
    ["entity-bytes=*:1", 400],
    ["entity-bytes=a:b", 400],
    ["car-dups=y", 406],
    ["car-version=2", 406],
    ["car-order=random", 406],
  ])("with %s is a %i", async (query, status) => {
    expect((await fetch(`${gateway()}/ipfs/${cid}?format=car&${query}`)).status).toBe(status);
  });

  test("of which a block is lost ends without an end", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "devnet-blocks-"));
    const other = await startDevnet({ dataDir, chunking: { chunkBytes: 1_000 } });
    try {
      const folder = await addFiles({ "d/a": content, "d/b": content.subarray(1) }, 1, other);
      const lost = CID.parse(await addFiles({ b: content.subarray(1, 1_001) }, 1, other));
      await addFiles({ b: content.subarray(1) }, 1, other);
      await rm(join(dataDir, "blocks", Buffer.from(lost.multihash.bytes).toString("hex")));
      const response = await fetch(`${other.endpoints.gateway}/ipfs/${folder}?format=car`);
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    } finally {
      await other.close();
      await rm(dataDir, { recursive: true });
    }
  });
});
