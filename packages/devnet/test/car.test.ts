import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import { sha256 } from "multiformats/hashes/sha2";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { account, add, cat, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { type Devnet, startDevnet } from "../src/index.ts";
import { type Block, createRepeatedShards, createRepeatedTree, createTree, encodeCar, type Tree } from "./car.ts";
import { listContent } from "./list-content.ts";

const devnet = devnetForTests();
let key = "";
beforeAll(async () => {
  key = await getApiKey(devnet(), account(devnet(), 0));
});

async function importCar(
  car: BlobPart,
  name = "site.car",
  to = devnet(),
  bearer = key,
  init: RequestInit = {},
): Promise<Response> {
  const body = new FormData();
  body.append("file", new Blob([car]), name);
  const headers = { authorization: `Bearer ${bearer}` };
  return fetch(`${to.endpoints.upload}/api/v0/dag/import?pin-roots=true`, { method: "POST", body, headers, ...init });
}

const encodeTree = ({ root, blocks }: Tree) => encodeCar([root], blocks);

const MALFORMED = "Malformed CAR file";
const bytes = randomBytes(500_000);
const reorder = (blocks: readonly Block[]) =>
  [...blocks].sort((a, b) => (a.cid.toString() < b.cid.toString() ? -1 : 1));

describe("an archive", () => {
  test("of one file is stored as the file, under the id of a plain upload", async () => {
    const { root, blocks } = await createTree({ file: bytes }, 262_144);
    const response = await importCar(encodeCar([root], blocks));
    const plain = (await (await add(devnet(), key, { file: bytes })).json()) as { Hash: string; Size: string };
    expect(await response.json()).toEqual({ Name: "site.car", Hash: plain.Hash, Size: plain.Size });
    expect(bytes.equals(await cat(devnet(), root.toString()))).toBe(true);
  });

  test("may have its blocks in any order, and a tree of many levels", async () => {
    const { root, blocks } = await createTree({ file: bytes });
    expect((await importCar(encodeCar([root], reorder(blocks)))).status).toBe(200);
    expect(bytes.equals(await cat(devnet(), root.toString()))).toBe(true);
  });

  test("of a folder is stored with every file by its path, also if the folder is sharded", async () => {
    const names = Array.from({ length: 100 }, (_, n) => `d/inner/${n}-${"x".repeat(20)}`);
    const files = Object.fromEntries(names.map((name) => [name, Buffer.from(name)]));
    const { root, blocks } = await createTree(files);
    expect(await (await importCar(encodeCar([root], blocks))).json()).toMatchObject({ Hash: root.toString() });
    for (const name of names.slice(-3)) {
      expect(Buffer.from(await cat(devnet(), `${root}/${name.slice(2)}`)).toString()).toBe(name);
    }
  });

  test("with several roots is acknowledged by a list of them", async () => {
    const trees = [await createTree({ a: Buffer.from("a") }), await createTree({ b: Buffer.from("b") })];
    const car = encodeCar(
      trees.map(({ root }) => root),
      trees.flatMap(({ blocks }) => blocks),
    );
    const response = (await (await importCar(car)).json()) as { Hash: string }[];
    expect(response.map(({ Hash }) => Hash)).toEqual(trees.map(({ root }) => root.toString()));
  });

  test("may have roots that are inlined in their ids", async () => {
    const root = CID.createV1(0x55, identity.digest(Buffer.from("inline")));
    expect((await importCar(encodeCar([root], []))).status).toBe(200);
    expect(Buffer.from(await cat(devnet(), root.toString())).toString()).toBe("inline");
  });

  test("is listed and counted like any upload", async () => {
    const other = await getApiKey(devnet(), account(devnet(), 1));
    const { root, blocks } = await createTree({ file: bytes });
    await importCar(encodeCar([root], blocks), "listed.car", devnet(), other);
    const list = await send("GET", `${devnet().endpoints.api}/api/user/files_uploaded?lastKey=null`, undefined, other);
    expect(list.body).toMatchObject({ fileList: [{ cid: root.toString(), fileName: "listed.car" }], totalFiles: 1 });
    const usage = await send("GET", `${devnet().endpoints.api}/api/user/user_data_usage`, undefined, other);
    expect(usage.body).toMatchObject({ dataUsed: 500_000 });
  });
});

describe("what is refused", () => {
  let tree: Tree;
  let car: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    tree = await createTree({ file: bytes });
    car = encodeCar([tree.root], tree.blocks);
  });
  const withSection = (...section: number[]) =>
    Uint8Array.of(...encodeCar([tree.root], []), section.length, ...section);
  const flipLastBit = () => Uint8Array.from(car, (byte, at) => (at === car.byteLength - 1 ? byte ^ 1 : byte));

  test.each<[string, () => BlobPart, string | RegExp]>([
    ["a block with another hash than its id", flipLastBit, /^Block bafk\w+ does not match its content id$/],
    ["a truncated archive", () => car.slice(0, -10), MALFORMED],
    ["anything but an archive", () => "<html></html>", MALFORMED],
    ["an empty body", () => "", MALFORMED],
    ["another version", () => encodeCar([tree.root], tree.blocks, 2), "Only CAR files of version 1 are taken"],
    ["no roots", () => encodeCar([], tree.blocks), MALFORMED],
    ["a root that is missing", () => encodeCar([tree.root], []), /^Block bafy\w+ is missing$/],
    ["a leaf that is missing", () => encodeCar([tree.root], tree.blocks.slice(1)), /^Block ba\w+ is missing$/],
    ["a block of many MiB", () => Uint8Array.of(0x80, 0x80, 0x80, 0x08), "Block too large"],
    ["a content id of many MiB", () => withSection(0x01, 0x55, 0x12, 0x80, 0x80, 0x80, 0x08), "Block too large"],
    ["a section shorter than its content id", () => withSection(...tree.root.bytes).fill(1, -37, -36), MALFORMED],
    ["a section without a content id", () => withSection(), MALFORMED],
  ])("%s is a 400", async (_, body, message) => {
    const response = await importCar(body());
    expect([response.status, await response.json()]).toEqual([
      400,
      { message: typeof message === "string" ? message : expect.stringMatching(message) },
    ]);
  });

  test.each(["", ".", "..", "a/b", "a\0b"])("an entry named %j is a 400", async (name) => {
    const leaf = tree.blocks[0] as Block;
    const Data = new UnixFS({ type: "directory" }).marshal();
    const folder = dagPb.encode({ Data, Links: [{ Name: name, Hash: leaf.cid, Tsize: 1 }] });
    const cid = CID.createV1(dagPb.code, await sha256.digest(folder));
    const response = await importCar(encodeCar([cid], [leaf, { cid, bytes: folder }]));
    expect([response.status, await response.json()]).toEqual([400, { message: "Invalid file name" }]);
  });

  test("a link is a 400", async () => {
    const link = dagPb.encode({ Data: new UnixFS({ type: "symlink" }).marshal(), Links: [] });
    const cid = CID.createV1(dagPb.code, await sha256.digest(link));
    const response = await importCar(encodeCar([cid], [{ cid, bytes: link }]));
    expect([response.status, await response.json()]).toEqual([
      400,
      { message: `Block ${cid} is a symlink, which is not taken` },
    ]);
  });

  test("an upload without a bearer is refused", async () => {
    expect((await importCar(car, "a.car", devnet(), "wrong")).status).toBe(401);
  });

  test("more than the limit is refused, also if one block is linked many times, and leaves nothing behind", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "devnet-car-"));
    const other = await startDevnet({ dataDir, dataLimit: 200_000 });
    try {
      const otherKey = await getApiKey(other, account(other, 0));
      const bomb = await createTree({ file: new Uint8Array(5_000_000) });
      const small = encodeCar([bomb.root], bomb.blocks);
      expect(small.byteLength).toBeLessThan(200_000);
      for (const body of [car, small]) {
        const response = await importCar(body, "a.car", other, otherKey);
        expect([response.status, await response.json()]).toEqual([403, { message: "Data limit exceeded" }]);
      }
      expect(await listContent(dataDir)).toEqual(["blocks", "spool"]);
    } finally {
      await other.close();
      await rm(dataDir, { recursive: true });
    }
  });
});

describe("an archive whose blocks are linked many times", () => {
  let dataDir = "";
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "devnet-car-"));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const countStored = async (folder: string) => (await readdir(join(dataDir, folder))).length;
  test.each([
    ["dag-pb", dagPb.code, "Too many files, folders and blocks in one archive"],
    ["raw", raw.code, "Malformed folder"],
  ])("is refused if it is a folder sharded over 16 ** 12 %s blocks", async (_, code, message) => {
    const response = await importCar(encodeTree(await createRepeatedShards(13, code)));
    expect([response.status, await response.json()]).toEqual([400, { message }]);
  });

  test.each([
    ["16 ** 12 files of one byte", "directory", Buffer.from("x")],
    ["16 ** 12 empty files", "directory", Buffer.of()],
    ["a file of 16 ** 12 bytes", "file", Buffer.from("x")],
    ["a file of 16 ** 12 empty blocks", "file", Buffer.of()],
  ] as const)("is refused if it is a few kilobytes and stands for %s", async (_, kind, leaf) => {
    const car = encodeTree(await createRepeatedTree(kind, 12, 16, leaf));
    expect(car.byteLength).toBeLessThan(20_000);
    const response = await importCar(car);
    const message = "Too many files, folders and blocks in one archive";
    expect([response.status, await response.json()]).toEqual([400, { message }]);
  });

  test("is refused if several roots have too many blocks together", async () => {
    const trees = await Promise.all([1, 2].map((byte) => createRepeatedTree("file", 4, 28, Uint8Array.of(byte))));
    const car = encodeCar(
      trees.map(({ root }) => root),
      trees.flatMap(({ blocks }) => blocks),
    );
    const response = await importCar(car);
    const message = "Too many files, folders and blocks in one archive";
    expect([response.status, await response.json()]).toEqual([400, { message }]);
  });

  test("stores each of them once and no others, and counts each as often as it is linked", async () => {
    const other = await startDevnet({ dataDir });
    try {
      const otherKey = await getApiKey(other, account(other, 0));
      const { root, blocks } = await createRepeatedTree("directory", 3, 20, Buffer.from("shared"));
      const stray = await createTree({ stray: bytes });
      const car = encodeCar([root], [...blocks, ...stray.blocks]);
      const response = await importCar(car, "shared.car", other, otherKey);
      expect([response.status, await response.json()]).toMatchObject([200, { Hash: root.toString() }]);
      expect([await countStored("blocks"), await countStored("spool")]).toEqual([4, 0]);
      expect(Buffer.from(await cat(other, `${root}/000/007/019`)).toString()).toBe("shared");
      const usage = await send("GET", `${other.endpoints.api}/api/user/user_data_usage`, undefined, otherKey);
      expect(usage.body).toMatchObject({ dataUsed: 20 ** 3 * 6 });
    } finally {
      await other.close();
    }
  });

  test("nested deeper than 64 levels is refused", async () => {
    expect((await importCar(encodeTree(await createRepeatedTree("directory", 64, 1)))).status).toBe(200);
    const response = await importCar(encodeTree(await createRepeatedTree("directory", 65, 1)));
    expect([response.status, await response.json()]).toEqual([400, { message: "Nested too deeply" }]);
  });

  test("is not kept if its sender disconnects midway, and leaves nothing behind", async () => {
    const other = await startDevnet({ dataDir });
    try {
      const { sent, stop } = await sendHalf(other);
      stop();
      await expect(sent).rejects.toThrow("aborted");
      await expect.poll(() => listContent(dataDir)).toEqual(["blocks", "spool"]);
    } finally {
      await other.close();
    }
  });

  test("does not delay close, and leaves nothing behind", async () => {
    const other = await startDevnet({ dataDir });
    const { sent } = await sendHalf(other);
    const lost = expect(sent).rejects.toThrow("fetch failed");
    await other.close();
    await lost;
    expect(await listContent(dataDir)).toEqual(["blocks", "spool"]);
  });

  /** Sends an archive but its end; resolves once the devnet has written the first block. */
  async function sendHalf(other: Devnet) {
    const bearer = await getApiKey(other, account(other, 0));
    const { root, blocks } = await createTree({ file: bytes });
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.car"\r\n\r\n';
    const stopped = new AbortController();
    const sent = fetch(`${other.endpoints.upload}/api/v0/dag/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}`, "content-type": "multipart/form-data; boundary=b" },
      body: new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.concat([Buffer.from(head), encodeCar([root], blocks)])),
      }),
      duplex: "half",
      signal: stopped.signal,
    } as RequestInit);
    const countSpooled = async () => (await readdir(join(dataDir, "spool"), { recursive: true })).length;
    await expect.poll(countSpooled, { timeout: 50_000 }).toBeGreaterThan(2);
    return { sent, stop: () => stopped.abort() };
  }
});
