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
