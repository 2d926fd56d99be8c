import { evaluateAt, interpolate, type Point, randomElement } from "./prime-field.ts";
import type { KeyShard, Sharing } from "./sharing.ts";

/** Order of the scalar field of BLS12-381 (r in draft-irtf-cfrg-pairing-friendly-curves, 4.2.1). */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Characters of a field element: 32 bytes, big-endian. */
const ELEMENT_LENGTH = 64;

/** Shamir's scheme over the scalar field of BLS12-381, which every client of the network reads. */
export const bls12381: Sharing = {
  indexLength: ELEMENT_LENGTH,
  maxKeyCount: Number.POSITIVE_INFINITY,
  writtenByOlderClients: true,
  generateKey: async () => toHex(randomElement(ORDER)),
  findKeyProblem: findElementProblem,
  findShardProblem({ key, index }) {
    const problem = findElementProblem(key);
    if (problem !== undefined) return `key ${problem}`;
    return fromHex(index) < ORDER ? undefined : "index must be below the order of the BLS12-381 scalar field";
  },
  async split(masterKey, threshold, keyCount) {
    const coefficients = [fromHex(masterKey), ...Array.from({ length: threshold - 1 }, () => randomElement(ORDER))];
    const places = new Set<bigint>();
    while (places.size < keyCount) places.add(randomElement(ORDER));
    return Array.from(places, (x) => ({ key: toHex(evaluateAt(coefficients, x, ORDER)), index: toHex(x) }));
  },
  async combine(shards) {
    return toHex(interpolate(shards.map(toPoint), 0n, ORDER));
  },
  async makeAnother(shards) {
    const points = shards.map(toPoint);
    let place = randomElement(ORDER);
    while (points.some(({ x }) => x === place)) place = randomElement(ORDER);
    return { key: toHex(interpolate(points, place, ORDER)), index: toHex(place) };
  },
};

function findElementProblem(hex: string): string | undefined {
  if (hex.length !== ELEMENT_LENGTH) return `must be ${ELEMENT_LENGTH} hex characters`;
  return fromHex(hex) < ORDER ? undefined : "must be below the order of the BLS12-381 scalar field";
}

function toPoint({ key, index }: KeyShard): Point {
  return { x: fromHex(index), y: fromHex(key) };
}

function fromHex(hex: string): bigint {
  return BigInt(`0x${hex}`);
}

function toHex(element: bigint): string {
  return element.toString(16).padStart(ELEMENT_LENGTH, "0");
}
