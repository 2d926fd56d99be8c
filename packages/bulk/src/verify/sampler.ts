/**
 * Creates a function that says of each item in turn whether it is in the sample: a fraction of all, evenly spread from a
 * random start, and at least one of `count` items.
 */
export function createSampler(fraction: number, count: number): () => boolean {
  const step = 1 / fraction;
  let next = Math.random() * Math.min(step, count);
  let at = 0;
  return () => {
    if (at++ < Math.floor(next)) return false;
    next += step;
    return true;
  };
}
