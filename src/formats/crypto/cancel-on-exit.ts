/** Iterates over a stream; the consumer can always close it, even before it reads the first chunk. */
export interface ClosableIterator<Chunk> extends AsyncIterableIterator<Chunk, void> {
  return(): Promise<IteratorResult<Chunk, void>>;
}

/**
 * Yields what `transform` makes of the chunks of `source`, and cancels `source` on every exit: when `transform` fails,
 * and when the consumer stops early. A generator's own `finally` would not do, as it does not run if the generator is
 * closed before its first chunk is read. A source that ended or failed by itself is not cancelled.
 */
export function cancelOnExit<Chunk>(
  source: AsyncIterable<Chunk>,
  transform: (chunks: AsyncIterable<Chunk>) => AsyncGenerator<Chunk, void>,
): ClosableIterator<Chunk> {
  const iterator = source[Symbol.asyncIterator]();
  let isOpen = true;

  async function* read(): AsyncGenerator<Chunk, void> {
    for (;;) {
      isOpen = false;
      const { done, value } = await iterator.next();
      if (done) return;
      isOpen = true;
      yield value;
    }
  }

  async function cancel(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await iterator.return?.();
  }

  const output = transform(read());
  return {
    async next() {
      let isOver = true;
      try {
        const result = await output.next();
        isOver = result.done === true;
        return result;
      } finally {
        if (isOver) await cancel();
      }
    },
    async return() {
      try {
        return await output.return(undefined);
      } finally {
        await cancel();
      }
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
