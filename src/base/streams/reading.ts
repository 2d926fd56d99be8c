import { aborted } from "../errors/transport.ts";
import { toChunks } from "./chunks.ts";

/** Reads a stream to its end, only for what that does. An abort rejects at once, as in {@link writeAll}. */
export async function readAll(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
  await writeAll({ write: async () => undefined }, chunks, signal);
}

/** Writes all chunks to a sink. An abort rejects at once, even while their source is busy. */
export async function writeAll(
  sink: { write(chunk: Uint8Array): Promise<void> },
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const chunk of toChunks(chunks, signal)) await sink.write(chunk);
  if (signal?.aborted) throw aborted(signal.reason);
}

type Chunks = AsyncIterable<Uint8Array>;

/**
 * Yields the same chunks. Until `ready` settles they are read ahead of the consumer, up to `limit` bytes and one chunk:
 * the source can be a slow one, and the consumer cannot use its chunks before. `chunks` must queue calls of `next`, as
 * async generators do.
 */
export function readAheadUntil(
  ready: Promise<unknown>,
  chunks: Chunks,
  limit: number,
): AsyncIterableIterator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const ahead: Promise<IteratorResult<Uint8Array>>[] = [];
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  ready.then(end, end);

  async function readAhead(): Promise<void> {
    for (let bytes = 0; !isOver && bytes < limit; ) {
      const chunk = source.next();
      ahead.push(chunk);
      const { done, value } = await chunk;
      if (done) return;
      bytes += value.length;
    }
  }

  // The consumer receives the failure in its turn.
  readAhead().catch(end);
  return {
    next: () => ahead.shift() ?? source.next(),
    async return(): Promise<IteratorResult<Uint8Array>> {
      end();
      // It may wait for a chunk that never arrives.
      void Promise.resolve(source.return?.()).catch(() => undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
