import { yieldToMain } from "./yield-to-main.ts";

/** Gathered on the heap before they are put away. With a MiB or more Chromium takes fresh memory for every block. */
export const BLOCK_BYTES = 512 * 1024;

/** Cuts bytes that come in pieces of any length into blocks. */
export interface Blocks {
  write(piece: Uint8Array): Promise<void>;
  /** Puts away what is left: the last block, unless there is none. */
  end(): Promise<void>;
}

/**
 * @param size - bytes of each block but the last, which may be shorter
 * @param put - puts a block away; gives memory of that size to gather the next one in, if it has some
 */
export function inBlocks(
  size: number,
  put: (block: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer | undefined>,
): Blocks {
  let block = new Uint8Array(size);
  let filled = 0;

  async function putAway(): Promise<void> {
    if (filled === 0) return;
    block = new Uint8Array((await put(block.subarray(0, filled))) ?? new ArrayBuffer(size));
    filled = 0;
  }

  return {
    async write(piece) {
      for (let at = 0; at < piece.length; ) {
        const step = Math.min(piece.length - at, size - filled);
        block.set(piece.subarray(at, at + step), filled);
        filled += step;
        at += step;
        if (filled === size) await putAway();
      }
      await yieldToMain();
    },
    end: putAway,
  };
}
