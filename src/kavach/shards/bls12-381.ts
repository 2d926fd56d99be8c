import { Field, FpInvertBatch, mapHashToField } from "@noble/curves/abstract/modular.js";
import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";
import type { KeyShard, Sharing } from "./sharing.ts";

/** Order of the scalar field of BLS12-381 (r in draft-irtf-cfrg-pairing-friendly-curves, 4.2.1). */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

// The field alone: the module of the whole curve would be most of a page's bundle.
const field = /* @__PURE__ */ Field(ORDER);

/** Characters of a field element: 32 bytes, big-endian. */
const ELEMENT_LENGTH = 64;

/** Shamir's scheme over the scalar field of BLS12-381: what every client of the network reads. */
export const bls12381: Sharing = {
  indexLength: ELEMENT_LENGTH,
  maxKeyCount: Number.POSITIVE_INFINITY,
  writtenByOlderClients: true,
  newKey: () => toHex(randomElement()),
  keyProblem: elementProblem,
  shardProblem({ key, index }) {
    const problem = elementProblem(key);
    if (problem !== undefined) return `key ${problem}`;
    return fromHex(index) < ORDER ? undefined : "index must be below the order of the BLS12-381 scalar field";
  },
  async split(masterKey, threshold, keyCount) {
    const coefficients = [fromHex(masterKey), ...Array.from({ length: threshold - 1 }, randomElement)];
    const places = new Set<bigint>();
    while (places.size < keyCount) places.add(randomElement());
    return Array.from(places, (x) => ({ key: toHex(valueAt(coefficients, x)), index: toHex(x) }));
  },
  async combine(shards) {
    return toHex(valueAtZero(shards.map(toPoint)));
  },
  async another(shards) {
    const points = shards.map(toPoint);
    let place = randomElement();
    while (points.some(({ x }) => x === place)) place = randomElement();
    const shifted = points.map(({ x, y }) => ({ x: field.sub(x, place), y }));
    return { key: toHex(valueAtZero(shifted)), index: toHex(place) };
  },
};

function elementProblem(hex: string): string | undefined {
  if (hex.length !== ELEMENT_LENGTH) return `must be ${ELEMENT_LENGTH} hex characters`;
  return fromHex(hex) < ORDER ? undefined : "must be below the order of the BLS12-381 scalar field";
}

function toPoint({ key, index }: KeyShard): { x: bigint; y: bigint } {
  return { x: fromHex(index), y: fromHex(key) };
}

function fromHex(hex: string): bigint {
  return BigInt(`0x${hex}`);
}

function toHex(element: bigint): string {
  return element.toString(16).padStart(ELEMENT_LENGTH, "0");
}

/**
 * Uniform in [1, r): 48 random bytes reduced, so that the bias is below 2^-128 (the method of RFC
 * 9380, 5.2). That it is never zero costs a coefficient one value in r, which tells nobody anything.
 */
function randomElement(): bigint {
  return fromHex(bytesToHex(mapHashToField(randomBytes(48), ORDER)));
}

/** Horner's rule; coefficients from the constant term upwards. */
function valueAt(coefficients: readonly bigint[], x: bigint): bigint {
  return coefficients.reduceRight((sum, coefficient) => field.add(field.mul(sum, x), coefficient), field.ZERO);
}

/** Lagrange interpolation at 0. The places are distinct. */
function valueAtZero(points: readonly { x: bigint; y: bigint }[]): bigint {
  const overOthers = (factor: (other: bigint) => bigint, self: bigint) =>
    points.reduce((product, { x }) => (x === self ? product : field.mul(product, factor(x))), field.ONE);
  const inverses = FpInvertBatch(
    field,
    points.map(({ x }) => overOthers((other) => field.sub(other, x), x)),
    true,
  );
  return points.reduce((sum, { x, y }, position) => {
    const weight = field.mul(
      overOthers((other) => other, x),
      inverses[position] ?? field.ZERO,
    );
    return field.add(sum, field.mul(weight, y));
  }, field.ZERO);
}
