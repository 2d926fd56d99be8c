import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import type { CID } from "multiformats/cid";
import type { Block } from "../car/encode-car.ts";

/** A link to a block below. */
export interface TreeLink {
  cid: CID;
  /** Bytes of the file below it; 0 in a folder. */
  size: number;
  /** Whether it leads to another block of the same sharded folder. */
  isShard: boolean;
}

/** A decoded block. */
export interface TreeNode {
  kind: "file" | "folder";
  /** Bytes of the file in the block itself, which precede those below. */
  ownBytes: number;
  links: readonly TreeLink[];
}

/** Decodes a block. Blocks that are not dag-pb are files of their own bytes. Throws for malformed UnixFS. */
export function decodeNode({ cid, bytes }: Block): TreeNode {
  if (cid.code !== dagPb.code) return { kind: "file", ownBytes: bytes.byteLength, links: [] };
  const { Data, Links } = dagPb.decode(bytes);
  const unixFs = UnixFS.unmarshal(Data ?? new Uint8Array(0));
  if (unixFs.isDirectory()) {
    // a sub-shard is named by its place alone, an entry by its place and its name
    const placeLength = unixFs.fanout === undefined ? -1 : (Number(unixFs.fanout) - 1).toString(16).length;
    const links = Links.map(({ Hash, Name }) => ({ cid: Hash, size: 0, isShard: Name?.length === placeLength }));
    return { kind: "folder", ownBytes: 0, links };
  }
  const links = Links.map(({ Hash }, at) => ({ cid: Hash, size: Number(unixFs.blockSizes[at] ?? 0), isShard: false }));
  return { kind: "file", ownBytes: unixFs.data?.byteLength ?? 0, links };
}
