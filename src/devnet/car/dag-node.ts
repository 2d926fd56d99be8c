import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import type { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";

/** Hex digits that stand before the names in a part of a sharded folder. */
const SHARD_PREFIX = 2;

/** What a block stands for. */
export type DagNode =
  /** Bytes of its own, then those of other blocks. */
  | { kind: "file"; bytes: Uint8Array; parts: readonly CID[] }
  /** Names and what they stand for; an entry without a name holds more entries of the same folder. */
  | { kind: "folder"; entries: readonly { name: string; cid: CID }[] };

/** A block read: what it stands for, and the bytes of all blocks below it, as far as it says. */
export interface ReadNode {
  node: DagNode;
  treeBytes: number;
}

/**
 * Reads a block by the codec of its id. One that is not UnixFS is a file of the block's own bytes.
 *
 * @throws Refusal 400 for UnixFS that is malformed, and for what it has besides files and folders.
 */
export function readNode(cid: CID, block: Uint8Array): ReadNode {
  if (cid.code !== dagPb.code) return { node: { kind: "file", bytes: block, parts: [] }, treeBytes: block.byteLength };
  const { unixfs, links } = decodeNode(cid, block);
  const treeBytes = links.reduce((sum, { Tsize }) => sum + (Tsize ?? 0), block.byteLength);
  switch (unixfs.type) {
    case "raw":
    case "file":
      return {
        node: { kind: "file", bytes: unixfs.data ?? new Uint8Array(0), parts: links.map(({ Hash }) => Hash) },
        treeBytes,
      };
    case "directory":
      return { node: { kind: "folder", entries: links.map(({ Name, Hash }) => named(Name ?? "", Hash)) }, treeBytes };
    case "hamt-sharded-directory":
      return { node: { kind: "folder", entries: links.map(shardEntry) }, treeBytes };
    default:
      throw new Refusal(400, `Block ${cid} is a ${unixfs.type}, which is not taken`);
  }
}

function decodeNode(cid: CID, block: Uint8Array): { unixfs: UnixFS; links: readonly dagPb.PBLink[] } {
  try {
    const { Data, Links } = dagPb.decode(block);
    if (Data) return { unixfs: UnixFS.unmarshal(Data), links: Links };
  } catch {
    // refused below, like a node without data
  }
  throw new Refusal(400, `Block ${cid} is no UnixFS`);
}

function shardEntry({ Name = "", Hash }: dagPb.PBLink): { name: string; cid: CID } {
  const name = Name.slice(SHARD_PREFIX);
  return name === "" ? { name, cid: Hash } : named(name, Hash);
}

/** A name that could not be found by its path is refused. */
function named(name: string, cid: CID): { name: string; cid: CID } {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
    throw new Refusal(400, "Invalid file name");
  }
  return { name, cid };
}
