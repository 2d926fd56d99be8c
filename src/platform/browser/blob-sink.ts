import type { Sink } from "../types.ts";
import { openBlobParts } from "./blob-parts.ts";
import { BLOCK_BYTES, toBlocks } from "./blocks.ts";

/**
 * Collects a Blob in the browser's own store, which later visitors of the page cannot reach, and which releases the bytes
 * with the Blob. A file of the origin private file system would do neither.
 */
export async function blobSink(): Promise<Sink<Blob>> {
  const parts = await openBlobParts();
  const blocks = toBlocks(BLOCK_BYTES, async (block) => {
    await parts.add(block);
    return block.buffer;
  });
  return {
    write: blocks.write,
    async commit() {
      await blocks.end();
      return parts.finish();
    },
    // Nothing holds the parts but this sink.
    abandon: async () => undefined,
  };
}
