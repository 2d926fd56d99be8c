import type { FileHandle } from "node:fs/promises";
import type { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";
import { type ReadNode, readNode } from "./dag-node.ts";
import { blockKey, type CarIndex, inlineBlock } from "./read-car.ts";

/** Reads the block of a content id; refuses with 400 one that is missing or malformed. */
export type ReadBlock = (cid: CID) => Promise<ReadNode>;

/** Reads blocks out of an archive, and those that are in their own ids. */
export function blocksOf({ blocks }: CarIndex, archive: FileHandle, gone: AbortSignal): ReadBlock {
  return async (cid) => {
    gone.throwIfAborted();
    const inline = inlineBlock(cid);
    if (inline) return readNode(cid, inline);
    const place = blocks.get(blockKey(cid));
    if (!place) throw new Refusal(400, `Block ${cid} is missing`);
    const block = new Uint8Array(place.length);
    await archive.read(block, 0, place.length, place.offset);
    return readNode(cid, block);
  };
}
