/**
 * A generator over the pieces of `source` that lets go of `source` however it ends: when `body` fails
 * or its consumer stops early, even before asking for the first piece. A source that ended or failed
 * by itself is not told again.
 */
export function cancelOnExit<Piece>(
  source: AsyncIterable<Piece>,
  body: (pieces: AsyncIterable<Piece>) => AsyncGenerator<Piece>,
): AsyncGenerator<Piece> {
  const iterator = source[Symbol.asyncIterator]();
  let over = false;
  async function next(): Promise<IteratorResult<Piece>> {
    try {
      const result = await iterator.next();
      if (result.done) over = true;
      return result;
    } catch (error) {
      over = true;
      throw error;
    }
  }
  async function release(): Promise<void> {
    if (over) return;
    over = true;
    await iterator.return?.();
  }
  async function* run(): AsyncGenerator<Piece> {
    try {
      yield* body({ [Symbol.asyncIterator]: () => ({ next }) });
    } finally {
      await release();
    }
  }
  const generator = run();
  const stop = generator.return.bind(generator);
  generator.return = async (value) => {
    try {
      return await stop(value);
    } finally {
      // A generator that was never begun ends without running its own `finally`.
      await release();
    }
  };
  return generator;
}
