import { throwIfAborted } from "../async/abort.ts";
import { toChunks } from "./chunks.ts";

/** Writes all chunks to a sink. An abort rejects at once, even while their source is busy. */
export async function writeAll(
  sink: { write(chunk: Uint8Array): Promise<void> },
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const chunk of toChunks(chunks, signal)) await sink.write(chunk);
  throwIfAborted(signal);
}

/**
 * Passes chunks on to a sink. Until `ready` settles, they are held, up to `limit` bytes and one chunk: the source can be a
 * slow one, and the sink has to wait.
 */
export function holdUntil(
  ready: Promise<unknown>,
  limit: number,
  sink: { write(chunk: Uint8Array): Promise<void> },
): { write(chunk: Uint8Array): Promise<void>; flush(): Promise<void> } {
  const held: Uint8Array[] = [];
  let bytes = 0;
  let isReady = false;
  const end = () => {
    isReady = true;
  };
  ready.then(end, end);

  async function flush(): Promise<void> {
    for (const chunk of held.splice(0)) await sink.write(chunk);
  }

  return {
    async write(chunk) {
      held.push(chunk);
      bytes += chunk.length;
      if (isReady || bytes > limit) await flush();
    },
    /** Passes on what is held. */
    flush,
  };
}

/**
 * Streams chunks, `ahead` of them before they are requested. Calls `end` once there are no more, after a failure, and when
 * the stream is cancelled.
 */
export function toStream(
  chunks: AsyncGenerator<Uint8Array, void>,
  end: () => unknown = () => chunks.return(undefined),
  ahead = 1,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
          await end();
          controller.close();
        } catch (error) {
          await end();
          throw error;
        }
      },
      async cancel() {
        await end();
      },
    },
    { highWaterMark: ahead },
  );
}
