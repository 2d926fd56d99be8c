import { leafHasher, sha256 } from "#platform";
import { collectLeaf } from "../../platform/collect-leaf.ts";
import { type ChunkProfile, SMALL_CHUNKS } from "./chunk-profile.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { createTree, encodeLeafFrame, type Link } from "./unixfs.ts";

/**
 * Computes a file's content id while the file is read, as Kubo does by default: leaves of 256 KiB (raw in version 1, UnixFS
 * in version 0) under a balanced tree of at most 174 links per node. Memory does not grow with the file: at most one leaf is
 * held, and the links of one node per level.
 *
 * @param shape - how the file is split; anything but Kubo's defaults yields other content ids
 */
export function hashFile(version: CidVersion, shape: Partial<ChunkProfile> = {}) {
  const { leafBytes, links } = { ...SMALL_CHUNKS, ...shape };
  const tree = createTree(version, links);
  const leaf = version === 1 ? leafHasher(leafBytes) : collectLeaf(leafBytes, hashFramed);
  let filled = 0;
  let isEmpty = true;

  async function endLeaf(last: Uint8Array): Promise<void> {
    const fileBytes = filled + last.length;
    filled = 0;
    isEmpty = false;
    const cid = encodeCid(version, version === 1 ? "raw" : "dag-pb", await leaf.end(last));
    const { head, foot } = encodeLeafFrame(fileBytes);
    const frameBytes = version === 1 ? 0 : head.length + foot.length;
    await tree.add({ cid, treeBytes: fileBytes + frameBytes, fileBytes });
  }

  return {
    /** Adds the next bytes, in chunks of any length; they may be reused once the promise resolves. */
    async update(chunk: Uint8Array): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + leafBytes - filled);
        at += piece.length;
        if (filled + piece.length === leafBytes) {
          await endLeaf(piece);
        } else {
          leaf.add(piece);
          filled += piece.length;
        }
      }
    },
    /** Returns the root of the file. Nothing may be added afterwards. */
    async finish(): Promise<Link> {
      if (filled > 0 || isEmpty) await endLeaf(new Uint8Array(0));
      return tree.finish();
    },
  };
}

/** Hashes a leaf with what surrounds it in version 0, where its size precedes it. */
function hashFramed(leaf: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { head, foot } = encodeLeafFrame(leaf.length);
  return sha256(head, leaf, foot);
}
