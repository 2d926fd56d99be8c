import { createHash } from "node:crypto";
import { encode as encodeHeader } from "@ipld/dag-cbor";
import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import * as digest from "multiformats/hashes/digest";
import { encodeVarint } from "../../packages/devnet/test/car.ts";

const MIB = 1024 * 1024;
const SHA2_256 = 0x12;
const RAW = 0x55;

/** The end of all leaves; it is sent without copying, so that no leaf is in memory twice. */
const tail = Buffer.alloc(MIB - 4, 5);

/** Creates the start of a leaf, which differs in every leaf. */
function createHead(leaf: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(leaf);
  return head;
}

/** Creates an archive (CARv1) of one file of `mib` MiB, in leaves of one MiB, generated while it is read. */
export function createLargeCar(mib: number): {
  name: string;
  size: number;
  stream: AsyncIterable<Uint8Array>;
  root: string;
} {
  const leaves = Array.from({ length: mib }, (_, leaf) => {
    const hash = createHash("sha256").update(createHead(leaf)).update(tail).digest();
    return CID.createV1(RAW, digest.create(SHA2_256, hash));
  });
  const unixfs = new UnixFS({ type: "file", blockSizes: leaves.map(() => BigInt(MIB)) });
  const links = leaves.map((Hash) => ({ Name: "", Hash, Tsize: MIB }));
  const node = dagPb.encode(dagPb.prepare({ Data: unixfs.marshal(), Links: links }));
  const root = CID.createV1(dagPb.code, digest.create(SHA2_256, createHash("sha256").update(node).digest()));

  const start = section(encodeHeader({ version: 1, roots: [root] }), Buffer.concat([root.bytes, node]));
  const heads = leaves.map((cid, leaf) => {
    const bytes = Buffer.concat([cid.bytes, createHead(leaf)]);
    return Buffer.concat([encodeVarint(bytes.length + tail.length), bytes]);
  });
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield start;
    for (const head of heads) {
      yield head;
      yield tail;
    }
  }
  const size = start.length + heads.reduce((sum, { length }) => sum + length + tail.length, 0);
  return { name: "large.car", size, stream: stream(), root: root.toString() };
}

function section(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [encodeVarint(part.length), part]));
}
