import { type BlockHasher, HASH_BLOCK_BYTES } from "../types.ts";
import { sha256 } from "./sha256.ts";

/** Hashes by WebCrypto, which runs off the thread; without it, by plain JavaScript on it. */
export function blockHasher(): BlockHasher {
  return {
    memory: () => new Uint8Array(HASH_BLOCK_BYTES),
    digest(memory, size, parts) {
      let at = 0;
      const framed = parts.map(({ size: length, head, foot }) => {
        const bytes = memory.subarray(at, at + length);
        at += length;
        if (head.length + foot.length === 0) return bytes;
        const block = new Uint8Array(head.length + length + foot.length);
        block.set(head);
        block.set(bytes, head.length);
        block.set(foot, head.length + length);
        return block;
      });
      return Promise.all([memory.subarray(0, size), ...framed].map((bytes) => sha256(bytes)));
    },
    close: () => undefined,
  };
}
