/** A point of a polynomial; both parts are from 0 up to but not including the prime. */
export interface Point {
  x: bigint;
  y: bigint;
}

/** Reduces `value` modulo a prime; never negative. */
function reduce(value: bigint, prime: bigint): bigint {
  const remainder = value % prime;
  return remainder < 0n ? remainder + prime : remainder;
}

/** Inverts `value`, no multiple of the prime, modulo it, by the extended Euclidean algorithm. May return a negative. */
function invert(value: bigint, prime: bigint): bigint {
  let [older, newer] = [prime, reduce(value, prime)];
  let [olderFactor, newerFactor] = [0n, 1n];
  while (newer > 1n) {
    const quotient = older / newer;
    [older, newer] = [newer, older - quotient * newer];
    [olderFactor, newerFactor] = [newerFactor, olderFactor - quotient * newerFactor];
  }
  return newerFactor;
}

/** Evaluates a polynomial at `x` by Horner's rule; coefficients from the constant term upwards. */
export function evaluateAt(coefficients: readonly bigint[], x: bigint, prime: bigint): bigint {
  return coefficients.reduceRight((sum, coefficient) => (sum * x + coefficient) % prime, 0n);
}

/** Evaluates the lowest-degree polynomial through these points at `place` (Lagrange). No two have the same `x`. */
export function interpolate(points: readonly Point[], place: bigint, prime: bigint): bigint {
  const value = points.reduce((sum, { x, y }) => {
    let numerator = y;
    let denominator = 1n;
    for (const other of points) {
      if (other.x === x) continue;
      numerator = (numerator * (other.x - place)) % prime;
      denominator = (denominator * (other.x - x)) % prime;
    }
    return sum + numerator * invert(denominator, prime);
  }, 0n);
  return reduce(value, prime);
}

/** Draws a uniform element of [1, prime) from the system's randomness, by rejection sampling at the prime's bit length. */
export function randomElement(prime: bigint): bigint {
  const bits = prime.toString(2).length;
  const bytes = new Uint8Array(Math.ceil(bits / 8));
  for (;;) {
    crypto.getRandomValues(bytes);
    const candidate = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) & ((1n << BigInt(bits)) - 1n);
    if (candidate > 0n && candidate < prime) return candidate;
  }
}
