import { sha256 } from "#platform";
import { countBytes } from "../../base/streams/bytes.ts";
import { type ChunkProfile, SMALL_CHUNKS } from "./chunk-profile.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { createTree, encodeLeafFrame, type Link } from "./unixfs.ts";

/**
 * Computes a file's content id while the file is read, as Kubo does by default: leaves of 256 KiB (raw in version 1, UnixFS
 * in version 0) under a balanced tree of at most 174 links per node. Holds one leaf and the links of one node per level, so
 * that memory does not grow with the file.
 *
 * @param shape - how the file is split; anything but Kubo's defaults yields other content ids
 */
export function hashFile(version: CidVersion, shape: Partial<ChunkProfile> = {}) {
  const { leafBytes, links } = { ...SMALL_CHUNKS, ...shape };
  const tree = createTree(version, links);
  // Grows to a whole leaf only on demand: most files are small.
  let buffer = new Uint8Array(0);
  let filled = 0;
  let empty = true;

  async function addLeaf(bytes: Uint8Array): Promise<void> {
    empty = false;
    filled = 0;
    const { head, foot } = encodeLeafFrame(bytes.length);
    const parts = version === 1 ? [bytes] : [head, bytes, foot];
    const cid = encodeCid(version, version === 1 ? "raw" : "dag-pb", await sha256(...parts));
    await tree.add({ cid, treeBytes: countBytes(parts), fileBytes: bytes.length });
  }

  function hold(bytes: Uint8Array): void {
    const needed = filled + bytes.length;
    if (buffer.length < needed) {
      const grown = new Uint8Array(Math.min(needed * 2, leafBytes));
      grown.set(buffer);
      buffer = grown;
    }
    buffer.set(bytes, filled);
    filled = needed;
  }

  return {
    /** Adds the next bytes, in chunks of any length; they may be reused once the promise resolves. */
    async update(chunk: Uint8Array): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        const next = chunk.subarray(at, at + leafBytes - filled);
        at += next.length;
        if (next.length === leafBytes) await addLeaf(next);
        else hold(next);
        if (filled === leafBytes) await addLeaf(buffer);
      }
    },
    /** Returns the root of the file. Nothing may be added afterwards. */
    async finish(): Promise<Link> {
      if (filled > 0 || empty) await addLeaf(buffer.subarray(0, filled));
      return tree.finish();
    },
  };
}
