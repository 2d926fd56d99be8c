import type { Sink } from "../types.ts";
import { openBlobParts } from "./blob-parts.ts";
import { BLOCK_BYTES, inBlocks } from "./blocks.ts";

/**
 * Gathers a Blob in the browser's own store, which is out of reach for whoever comes to this page next, and which
 * lets go of it with the Blob. A file of the origin private file system would do neither.
 */
export async function blobSink(): Promise<Sink<Blob>> {
  const parts = await openBlobParts();
  const blocks = inBlocks(BLOCK_BYTES, async (block) => {
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
