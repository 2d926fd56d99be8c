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
  const input = openInput(source);
  const output = transform(input.chunks);
  return {
    async next() {
      let stopped = true;
      try {
        const result = await output.next();
        stopped = result.done === true;
        return result;
      } finally {
        if (stopped) await input.cancel();
      }
    },
    async return() {
      try {
        return await output.return(undefined);
      } finally {
        await input.cancel();
      }
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Opens a source; `cancel` closes it unless it has ended, failed or been closed before. */
function openInput<Chunk>(source: AsyncIterable<Chunk>) {
  const iterator = source[Symbol.asyncIterator]();
  let open = true;

  async function next(): Promise<IteratorResult<Chunk>> {
    let stopped = true;
    try {
      const result = await iterator.next();
      stopped = result.done === true;
      return result;
    } finally {
      if (stopped) open = false;
    }
  }

  async function cancel(): Promise<void> {
    if (!open) return;
    open = false;
    await iterator.return?.();
  }

  return { chunks: { [Symbol.asyncIterator]: () => ({ next }) }, cancel };
}
