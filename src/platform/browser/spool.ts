import type { Sink, Spooled } from "../types.ts";
import { BLOCK_BYTES, toBlocks } from "./blocks.ts";
import { ensureKept } from "./ensure-kept.ts";
import { createSeal, SEAL_BYTES, type Seal } from "./seal.ts";
import { type TemporaryBlob, temporaryBlob } from "./temporary-blob.ts";

/**
 * Keeps bytes encrypted under a key that is only in this page's memory: what the page leaves behind at its end, or
 * another page of this site finds meanwhile, is unreadable.
 *
 * @throws `CANNOT_WRITE`, also later while it is written to
 */
export async function spool(): Promise<Sink<Spooled>> {
  const [kept, seal] = await Promise.all([temporaryBlob(), createSeal()]);
  let count = 0;
  // While one block is written, the next one is sealed.
  let written = Promise.resolve();
  const blocks = toBlocks(seal ? BLOCK_BYTES - SEAL_BYTES : BLOCK_BYTES, async (block) => {
    if (!seal) {
      await kept.write(block);
      return block.buffer;
    }
    const [sealed] = await Promise.all([seal.close(block, count++), written]);
    written = kept.write(sealed);
    // Reported by the next block, or at the end.
    written.catch(() => undefined);
    return block.buffer;
  });
  return {
    write: blocks.write,
    async commit() {
      await blocks.end();
      await written;
      const temporary = await kept.commit();
      return { stream: () => streamOnce(temporary, seal), discard: temporary.discard };
    },
    async abandon() {
      await written.catch(() => undefined);
      await kept.abandon();
    },
  };
}

/** Streams the original bytes, and discards the kept ones at the end. */
function streamOnce({ blob, discard }: TemporaryBlob, seal: Seal | undefined): ReadableStream<Uint8Array> {
  const count = Math.ceil(blob.size / BLOCK_BYTES);
  let number = 0;
  let ahead: Promise<Uint8Array> | undefined;

  async function read(which: number): Promise<Uint8Array> {
    const at = which * BLOCK_BYTES;
    const block = new Uint8Array(await blob.slice(at, at + BLOCK_BYTES).arrayBuffer());
    if (block.length !== Math.min(BLOCK_BYTES, blob.size - at)) throw new Error("a block is shorter than it was");
    return seal ? seal.open(block, which) : block;
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (number === count) {
        await discard();
        controller.close();
        return;
      }
      try {
        const block = ahead ?? read(number);
        ahead = ++number < count ? read(number) : undefined;
        // Reported by the pull that waits for it.
        ahead?.catch(() => undefined);
        controller.enqueue(await ensureKept(block));
      } catch (error) {
        await discard();
        throw error;
      }
    },
    cancel: discard,
  });
}
