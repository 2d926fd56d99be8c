import { encode, prepare } from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { startGateway, type Way } from "./stand-in.ts";
import { makeBytes, shapes, storeFile, storeFolder } from "./trees.ts";

const SIZE = 1_300_000;
const content = makeBytes(SIZE);
const ranges = [
  [0, 0],
  [0, 1],
  [0, SIZE],
  [SIZE - 1, SIZE],
  [262_143, 262_145],
  [300_000, 1_100_001],
] as const;

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

describe.each<[string, Way[]]>([
  ["single blocks", ["raw"]],
  ["archives", ["car"]],
  ["single blocks and ranges", ["raw", "range"]],
  ["archives and ranges", ["car", "range"]],
])("from a gateway that sends %s", (_, ways) => {
  test.each(Object.keys(shapes))("any part of a file split as %s is read", async (name) => {
    const { cid, blocks } = await storeFile(content, shapes[name]);
    const gateway = await startGateway(blocks, { ways });
    const file = await openFile(cid, { endpoints: { gateway: gateway.url } });
    expect(file).toMatchObject({ size: SIZE, cid: CID.parse(cid).toV1().toString() });
    for (const [from, to] of ranges) {
      expect(Buffer.compare(await file.read(from, to), content.subarray(from, to)), `${from} to ${to}`).toBe(0);
    }
    expect(Buffer.compare(await collect(file.stream({ from: 5 })), content.subarray(5))).toBe(0);
  });
});

test.each([0, 1, 1000])("a file of %i bytes in one raw block is read", async (size) => {
  const { cid, blocks } = await storeFile(content.slice(0, size), {
    ...shapes["256 KiB, version 1"],
    reduceSingleLeafToSelf: true,
  });
  const gateway = await startGateway(blocks);
  const file = await openFile(cid, { endpoints: { gateway: gateway.url } });
  expect(await file.read(0, 2_000)).toEqual(content.slice(0, size));
});

test("a file is found by its path in folders, sharded ones too", async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `file ${at}.txt`);
  const files = Object.fromEntries(names.map((name) => [`a/ü/${name}`, new TextEncoder().encode(name)]));
  const { cid, blocks } = await storeFolder(files, { shardBytes: 10_000 });
  const gateway = await startGateway(blocks);
  for (const name of ["file 0.txt", "file 7.txt", "file 1999.txt"]) {
    gateway.requests.length = 0;
    const file = await openFile(cid, { path: `/a/ü/${name}`, endpoints: { gateway: gateway.url } });
    expect(new TextDecoder().decode(await file.read(0, file.size))).toBe(name);
    expect(gateway.requests.length).toBeLessThan(10);
  }
  const missing = await failure(openFile(cid, { path: "a/ü/none", endpoints: { gateway: gateway.url } }));
  expect([missing.code, missing.details["path"]]).toEqual(["PATH_NOT_FOUND", "a/ü/none"]);
  const folder = await failure(openFile(cid, { path: "a", endpoints: { gateway: gateway.url } }));
  expect(folder.code).toBe("UNSUPPORTED");
});

test.each([200, 400])(
  "a part that its file states to have %i bytes, and that has 300, is refused however often it is read",
  async (size) => {
    const { cid: leaf, blocks } = await storeFile(content.slice(0, 300), {
      ...shapes["256 KiB, version 1"],
      reduceSingleLeafToSelf: true,
    });
    const data = new UnixFS({ type: "file", blockSizes: [300n, BigInt(size)] }).marshal();
    const link = { Name: "", Hash: CID.parse(leaf), Tsize: 300 };
    const root = encode(prepare({ Data: data, Links: [link, link] }));
    const cid = CID.createV1(0x70, await sha256.digest(root));
    await blocks.put(cid, root);
    const gateway = await startGateway(blocks, { ways: ["raw"] });
    const file = await openFile(cid.toString(), { endpoints: { gateway: gateway.url } });
    expect(await file.read(0, 300)).toEqual(content.slice(0, 300));
    expect((await failure(file.read(300, 300 + size))).code).toBe("INVALID_RESPONSE");
  },
);
