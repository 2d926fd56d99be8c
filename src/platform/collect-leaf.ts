import type { LeafHasher } from "./types.ts";

/** Collects the pieces of a leaf for what hashes whole leaves only, in memory that grows on demand: most files are small. */
export function collectLeaf(
  maxBytes: number,
  digest: (leaf: Uint8Array) => Uint8Array | Promise<Uint8Array>,
): LeafHasher {
  let buffer = new Uint8Array(0);
  let filled = 0;

  function add(piece: Uint8Array): void {
    const needed = filled + piece.length;
    if (buffer.length < needed) {
      const grown = new Uint8Array(Math.max(needed, Math.min(needed * 2, maxBytes)));
      grown.set(buffer.subarray(0, filled));
      buffer = grown;
    }
    buffer.set(piece, filled);
    filled = needed;
  }

  return {
    add,
    end(last) {
      // A leaf in one piece is not copied.
      if (filled === 0) return digest(last);
      add(last);
      const leaf = buffer.subarray(0, filled);
      filled = 0;
      return digest(leaf);
    },
  };
}
