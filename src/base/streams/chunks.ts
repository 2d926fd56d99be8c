import { onAbort } from "../async/abort.ts";
import { aborted } from "../errors/transport.ts";

type ChunkSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/**
 * Yields the chunks of a stream from outside this package. Cancels the stream as soon as `signal` fires or the consumer
 * stops, even while a read is pending.
 *
 * @param reused - bytes of one buffer for all chunks: each is full but the last, and gone once the next one is requested.
 * Streams that are not of bytes ignore it
 */
export async function* toChunks(source: ChunkSource, signal?: AbortSignal, reused = 0): AsyncGenerator<Uint8Array> {
  const { next, cancel } = toPuller(source, reused);
  let fail: ((reason: unknown) => void) | undefined;
  const stop = () => fail?.(aborted(signal?.reason));
  const removeCallback = onAbort(signal, stop);
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await new Promise<IteratorResult<Uint8Array, unknown>>((resolve, reject) => {
        fail = reject;
        if (signal?.aborted) stop();
        else next().then(resolve, reject);
      });
      if (done) {
        ended = true;
        return;
      }
      yield value;
    }
  } finally {
    removeCallback();
    if (!ended) cancel();
  }
}

/** Cancels a stream that was never read. A stream locked by another reader is left to that reader. */
export function discardChunks(source: ChunkSource): void {
  if ("locked" in source && source.locked) return;
  try {
    toPuller(source).cancel();
  } catch {
    // A source that cannot be opened holds nothing to release.
  }
}

interface Puller {
  next(): Promise<IteratorResult<Uint8Array, unknown>>;
  cancel(): void;
}

function toPuller(source: ChunkSource, reused = 0): Puller {
  if (!("getReader" in source)) return fromIterable(source);
  return (reused > 0 && fromByteReader(source, reused)) || fromReader(source);
}

/** Chromium's default reader allocates memory for every 64 KiB of a Blob, which takes longer than to encrypt them. */
function fromByteReader(stream: ReadableStream<Uint8Array>, size: number): Puller | undefined {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
  let buffer = new ArrayBuffer(size);
  return {
    async next() {
      let filled = 0;
      while (filled < size) {
        const { done, value } = await reader.read(new Uint8Array(buffer, filled));
        if (value) buffer = value.buffer;
        if (done) break;
        filled += value.length;
      }
      return filled > 0 ? { done: false, value: new Uint8Array(buffer, 0, filled) } : { done: true, value: undefined };
    },
    cancel: () => void reader.cancel().catch(() => undefined),
  };
}

/** Not every browser has async iteration on streams. */
function fromReader(stream: ReadableStream<Uint8Array>): Puller {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array, unknown>>,
    cancel: () => void reader.cancel().catch(() => undefined),
  };
}

function fromIterable(source: AsyncIterable<Uint8Array>): Puller {
  const iterator = source[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    cancel: () => {
      // `return` does not interrupt a Node stream that waits for data; only `destroy` does.
      if ("destroy" in source && typeof source.destroy === "function") source.destroy();
      else void Promise.resolve(iterator.return?.()).catch(() => undefined);
    },
  };
}
