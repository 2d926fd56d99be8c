/** A point of a polynomial; both parts are from 0 up to but not including the prime. */
export interface Point {
  x: bigint;
  y: bigint;
}

/** `value` modulo a prime, never negative. */
function reduce(value: bigint, prime: bigint): bigint {
  const rest = value % prime;
  return rest < 0n ? rest + prime : rest;
}

/** The inverse modulo a prime, by Euclid's extended algorithm; `value` is not 0. */
function invert(value: bigint, prime: bigint): bigint {
  let [older, newer] = [prime, value];
  let [olderFactor, newerFactor] = [0n, 1n];
  while (newer > 1n) {
    const times = older / newer;
    [older, newer] = [newer, older - times * newer];
    [olderFactor, newerFactor] = [newerFactor, olderFactor - times * newerFactor];
  }
  return reduce(newerFactor, prime);
}

/** The value at `x` of a polynomial, by Horner's rule; coefficients from the constant term upwards. */
export function valueAt(coefficients: readonly bigint[], x: bigint, prime: bigint): bigint {
  return coefficients.reduceRight((sum, coefficient) => (sum * x + coefficient) % prime, 0n);
}

/** The value at `place` of the polynomial of the lowest degree through these points (Lagrange). No two have one `x`. */
export function interpolate(points: readonly Point[], place: bigint, prime: bigint): bigint {
  return points.reduce((sum, { x, y }) => {
    let above = y;
    let below = 1n;
    for (const other of points) {
      if (other.x === x) continue;
      above = reduce(above * (other.x - place), prime);
      below = reduce(below * (other.x - x), prime);
    }
    return (sum + above * invert(below, prime)) % prime;
  }, 0n);
}

/** Uniform in [1, prime), from the system's randomness: candidates of as many bits as the prime has, until one fits. */
export function randomElement(prime: bigint): bigint {
  const bits = prime.toString(2).length;
  const bytes = new Uint8Array(Math.ceil(bits / 8));
  for (;;) {
    crypto.getRandomValues(bytes);
    const candidate = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) & ((1n << BigInt(bits)) - 1n);
    if (candidate > 0n && candidate < prime) return candidate;
  }
}
