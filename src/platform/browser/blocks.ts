/** Collected on the heap before they are stored. With a MiB or more Chromium allocates memory for every block. */
export const BLOCK_BYTES = 512 * 1024;

/**
 * Splits chunks of any length into blocks.
 *
 * @param size - bytes of each block but the last, which may be shorter
 * @param store - stores a block; may return memory of that size to reuse for the next one
 */
export function toBlocks(size: number, store: (block: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer | undefined>) {
  let block = new Uint8Array(size);
  let filled = 0;

  async function storeBlock(): Promise<void> {
    if (filled === 0) return;
    block = new Uint8Array((await store(block.subarray(0, filled))) ?? new ArrayBuffer(size));
    filled = 0;
  }

  return {
    async write(chunk: Uint8Array): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        const step = Math.min(chunk.length - at, size - filled);
        block.set(chunk.subarray(at, at + step), filled);
        filled += step;
        at += step;
        if (filled === size) await storeBlock();
      }
      await yieldToMain();
    },
    /** Stores the last block, if any. */
    end: storeBlock,
  };
}

/**
 * How long work on the main thread continues before the page gets a turn. Browsers call 50 ms a long task, of which their
 * own work, such as garbage collection, may take the larger part.
 */
const SLICE_MS = 4;

let sliceStart = 0;
let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/**
 * Yields to the page if this thread has been busy for long. Settled promises continue without yielding, so a loop over
 * available bytes would block the page. (A timer would wait 4 ms.)
 */
export async function yieldToMain(): Promise<void> {
  if (performance.now() - sliceStart < SLICE_MS) return;
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
  sliceStart = performance.now();
}
