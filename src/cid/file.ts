import { sha256 } from "#platform";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { type Link, leafFrame } from "./dag-pb.ts";
import { createTree } from "./tree.ts";

/** How a file is cut. Anything but Kubo's defaults gives other content ids. */
export interface FileShape {
  /** Bytes per leaf. Default 262,144. */
  leafBytes?: number;
  /** Parts per node. Default 174. */
  links?: number;
}

/** A file on its way through. */
export interface FileHasher {
  /** Takes the next bytes, however the file is cut; they may be reused once this is done. */
  update(piece: Uint8Array): Promise<void>;
  /** The whole file. Nothing may be added afterwards. */
  finish(): Promise<Link>;
}

/** Room before a leaf's bytes for the longest frame. */
const HEAD_ROOM = 24;
const FOOT_ROOM = 12;

/**
 * Computes a file's content id as Kubo does by default: leaves of 256 KiB (raw in version 1, UnixFS in
 * version 0) under a balanced tree of at most 174 parts per node. Holds one leaf and the links of one node
 * per level, so that memory does not grow with the file.
 */
export function hashFile(version: CidVersion, { leafBytes = 262_144, links: width = 174 }: FileShape = {}): FileHasher {
  // Grows to a whole leaf only if there is that much: most files are small.
  let buffer = new Uint8Array(0);
  let filled = 0;
  let empty = true;
  const tree = createTree(version, width);

  function add(leaf: Link): Promise<void> {
    empty = false;
    return tree.add(leaf);
  }

  async function rawLeaf(bytes: Uint8Array): Promise<Link> {
    const cid = encodeCid(version, "raw", await sha256(bytes));
    return { cid, treeBytes: bytes.length, fileBytes: bytes.length };
  }

  /** The leaf of what is in the buffer, framed where it stands. */
  async function bufferedLeaf(): Promise<Link> {
    const size = filled;
    filled = 0;
    if (version === 1) return rawLeaf(buffer.subarray(HEAD_ROOM, HEAD_ROOM + size));
    makeRoom(size);
    const { head, foot } = leafFrame(size);
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
    async update(piece) {
      for (let at = 0; at < piece.length; ) {
        if (version === 1 && filled === 0 && piece.length - at >= leafBytes) {
          await add(await rawLeaf(piece.subarray(at, at + leafBytes)));
          at += leafBytes;
          continue;
        }
        const step = Math.min(piece.length - at, leafBytes - filled);
        makeRoom(filled + step);
        buffer.set(piece.subarray(at, at + step), HEAD_ROOM + filled);
        filled += step;
        at += step;
        if (filled === leafBytes) await add(await bufferedLeaf());
      }
    },
    async finish() {
      if (filled > 0 || empty) await add(await bufferedLeaf());
      return tree.finish();
    },
  };
}
