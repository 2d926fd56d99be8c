import { createHash } from "node:crypto";
import { encode, type PBLink, prepare } from "@ipld/dag-pb";
import { MemoryBlockstore } from "blockstore-core";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";

const FANOUT = 256;
const toPrefix = (at: number) => at.toString(16).toUpperCase().padStart(2, "0");

/** A folder in a hash array mapped trie whose parts repeat each other, so that few blocks list 256^levels entries. */
export async function makeRepeatingFolder(levels: number, entries: boolean): Promise<[string, MemoryBlockstore]> {
  const blocks = new MemoryBlockstore();
  async function put(bytes: Uint8Array, codec: number): Promise<CID> {
    const cid = CID.createV1(codec, create(0x12, createHash("sha256").update(bytes).digest()));
    await blocks.put(cid, bytes);
    return cid;
  }
  const file = await put(Uint8Array.of(1), 0x55);
  let names = entries ? ["a"] : [];
  let below = file;
  for (let level = 0; level < levels; level++) {
    const links = Array.from({ length: FANOUT }, (_, at) =>
      names.map((name): PBLink => ({ Name: `${toPrefix(at)}${name}`, Hash: below, Tsize: 1 })),
    );
    const data = new UnixFS({ type: "hamt-sharded-directory", fanout: BigInt(FANOUT), hashType: 0x22n }).marshal();
    below = await put(encode(prepare({ Data: data, Links: links.flat() })), 0x70);
    names = [""];
  }
  return [below.toString(), blocks];
}
