import { mapInOrder } from "../../base/async/map-in-order.ts";
import type { FileSource } from "./read-file.ts";
import { MAX_BLOCK_BYTES } from "./verify-block.ts";

/** Blocks that are fetched ahead at once: few, as the reader's own requests come first. */
const AT_ONCE = 2;

/**
 * Passes the chunks of a large file through, and meanwhile fetches the blocks that lead to its other parts, so that a
 * player that seeks waits for one round trip less. Ends with the chunks.
 */
export async function* warmUp(source: FileSource, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const end = new AbortController();
  let warming: Promise<void> | undefined;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      // What fails is fetched again when it is read.
      warming ??= fetchInnerNodes(source, end.signal).catch(() => undefined);
    }
  } finally {
    end.abort();
    await warming;
  }
}

async function fetchInnerNodes({ root, readBlock }: FileSource, signal: AbortSignal): Promise<void> {
  const inner = root.parts.filter(({ size }) => size > MAX_BLOCK_BYTES);
  const fetched = mapInOrder(inner, { limit: AT_ONCE, signal }, ({ id }, ended) => readBlock(id, ended));
  while (!(await fetched.next()).done);
}
