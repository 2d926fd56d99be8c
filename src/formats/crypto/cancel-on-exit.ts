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
    next: () => nextOr(output, input.cancel),
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

  const close = async () => {
    open = false;
  };

  async function cancel(): Promise<void> {
    if (!open) return;
    open = false;
    await iterator.return?.();
  }

  return { chunks: { [Symbol.asyncIterator]: () => ({ next: () => nextOr(iterator, close) }) }, cancel };
}

/** Returns the next result, after `stop` if there is none or it fails. */
async function nextOr<Result extends IteratorResult<unknown>>(
  iterator: { next(): Promise<Result> },
  stop: () => Promise<void>,
): Promise<Result> {
  let isOver = true;
  try {
    const result = await iterator.next();
    isOver = result.done === true;
    return result;
  } finally {
    if (isOver) await stop();
  }
}
