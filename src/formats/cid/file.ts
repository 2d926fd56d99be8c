import { sha256 } from "#platform";
import { type ChunkProfile, SMALL_CHUNKS } from "./chunk-profile.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { createTree, encodeLeafFrame, type Link } from "./unixfs.ts";

/** Room before and after a leaf's bytes for the longest frame. */
const HEAD_ROOM = 24;
const FOOT_ROOM = 12;

/**
 * Computes a file's content id while the file is read, as Kubo does by default: leaves of 256 KiB (raw in version 1, UnixFS
 * in version 0) under a balanced tree of at most 174 links per node. Holds one leaf and the links of one node per level, so
 * that memory does not grow with the file.
 *
 * @param shape - how the file is split; anything but Kubo's defaults yields other content ids
 */
export function hashFile(version: CidVersion, shape: Partial<ChunkProfile> = {}) {
  const { leafBytes, links } = { ...SMALL_CHUNKS, ...shape };
  // Grows to a whole leaf only on demand: most files are small.
  let buffer = new Uint8Array(0);
  let filled = 0;
  let empty = true;
  const tree = createTree(version, links);

  function add(leaf: Link): Promise<void> {
    empty = false;
    return tree.add(leaf);
  }

  async function hashRawLeaf(bytes: Uint8Array): Promise<Link> {
    const cid = encodeCid(version, "raw", await sha256(bytes));
    return { cid, treeBytes: bytes.length, fileBytes: bytes.length };
  }

  /** Hashes the leaf in the buffer, framed in place. */
  async function hashBufferedLeaf(): Promise<Link> {
    const size = filled;
    filled = 0;
    if (version === 1) return hashRawLeaf(buffer.subarray(HEAD_ROOM, HEAD_ROOM + size));
    makeRoom(size);
    const { head, foot } = encodeLeafFrame(size);
    buffer.set(head, HEAD_ROOM - head.length);
    buffer.set(foot, HEAD_ROOM + size);
    const block = buffer.subarray(HEAD_ROOM - head.length, HEAD_ROOM + size + foot.length);
    return { cid: encodeCid(version, "dag-pb", await sha256(block)), treeBytes: block.length, fileBytes: size };
  }

  function makeRoom(size: number): void {
    const needed = HEAD_ROOM + size + FOOT_ROOM;
    if (buffer.length >= needed) return;
    const grown = new Uint8Array(size * 2 > leafBytes ? HEAD_ROOM + leafBytes + FOOT_ROOM : needed * 2);
    grown.set(buffer);
    buffer = grown;
  }

  return {
    /** Adds the next bytes, in chunks of any length; they may be reused once the promise resolves. */
    async update(chunk: Uint8Array): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        if (version === 1 && filled === 0 && chunk.length - at >= leafBytes) {
          await add(await hashRawLeaf(chunk.subarray(at, at + leafBytes)));
          at += leafBytes;
          continue;
        }
        const step = Math.min(chunk.length - at, leafBytes - filled);
        makeRoom(filled + step);
        buffer.set(chunk.subarray(at, at + step), HEAD_ROOM + filled);
        filled += step;
        at += step;
        if (filled === leafBytes) await add(await hashBufferedLeaf());
      }
    },
    /** Returns the root of the file. Nothing may be added afterwards. */
    async finish(): Promise<Link> {
      if (filled > 0 || empty) await add(await hashBufferedLeaf());
      return tree.finish();
    },
  };
}
