import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { invalidOption, invalidShards } from "../../base/errors/input.ts";
import type { Check } from "../../base/operation.ts";
import { toHex as bytesToHex } from "../../base/streams/bytes.ts";

/**
 * How a key is split:
 * - `bls12-381`: over the scalar field of BLS12-381, as every client of the network does. Splits
 *   32-byte keys below the order of that field.
 * - `gf256`: byte by byte over GF(2^8), by the package `shamir-secret-sharing`. Splits secrets of any
 *   size, which only clients that know this scheme can recover.
 */
export type ShardScheme = "bls12-381" | "gf256";

/**
 * One point of the polynomial whose value at 0 is the master key. Both parts are hex: the length of
 * `index` (64 characters, or 2) distinguishes `bls12-381` from `gf256`.
 */
export type KeyShard = {
  /** The value: 64 characters in `bls12-381`, as long as the master key in `gf256`. Secret. */
  key: string;
  /** The place of the value: not zero, and different for every shard of a key. */
  index: string;
};

/** The shards of a key for the five key nodes, in their order. */
export type FiveShards = [KeyShard, KeyShard, KeyShard, KeyShard, KeyShard];

/** One way of splitting a key. Its inputs must have passed its own `find…Problem` functions. */
export interface Sharing {
  /** Characters of a shard's `index`. */
  indexLength: number;
  /** Maximum number of shards of a key. */
  maxKeyCount: number;
  /**
   * Whether older clients write this scheme. Their `shardKey` uses one coefficient too many, so their
   * shards may need one more than the threshold.
   */
  writtenByOlderClients: boolean;
  /** Generates a random master key, as lower-case hex. */
  generateKey(): string;
  /** Describes why this hex string cannot be split, without showing it; undefined if it can. */
  findKeyProblem(masterKey: string): string | undefined;
  /** Describes why this shard, both parts hex, cannot be used; undefined if it can. */
  findShardProblem(shard: KeyShard): string | undefined;
  /** Returns `keyCount` points of a random polynomial of degree `threshold` − 1 through (0, master key). */
  split(masterKey: string, threshold: number, keyCount: number): Promise<KeyShard[]>;
  /** Returns the value at 0 of the lowest-degree polynomial through all these shards, as lower-case hex. */
  combine(shards: readonly KeyShard[]): Promise<string>;
  /** Returns that polynomial's value at a random place that none of these shards has. */
  makeAnother(shards: readonly KeyShard[]): Promise<KeyShard>;
}

/** Order of the scalar field of BLS12-381 (r in draft-irtf-cfrg-pairing-friendly-curves, 4.2.1). */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Characters of a field element: 32 bytes, big-endian. */
const ELEMENT_LENGTH = 64;

/** Shamir's scheme over the scalar field of BLS12-381, which every client of the network reads. */
const bls12381: Sharing = {
  indexLength: ELEMENT_LENGTH,
  maxKeyCount: Number.POSITIVE_INFINITY,
  writtenByOlderClients: true,
  generateKey: () => toHex(randomElement(ORDER)),
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

/**
 * Inverts `value`, no multiple of the prime, modulo it, by the extended Euclidean algorithm. May return a negative. Written
 * here, as with that of `@noble/curves` every page that encrypts would load four kilobytes of that package at once.
 */
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

const loadShares = () => import("./gf256-shares.ts");

/**
 * Shamir's scheme over GF(2^8), byte by byte, by `shamir-secret-sharing`. What computes is loaded on first use, so that
 * pages which never use this scheme do not load it.
 */
const gf256: Sharing = {
  indexLength: 2,
  maxKeyCount: 255,
  writtenByOlderClients: false,
  generateKey: () => bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
  findKeyProblem: findBytesProblem,
  findShardProblem({ key }) {
    const problem = findBytesProblem(key);
    return problem === undefined ? undefined : `key ${problem}`;
  },
  split: async (masterKey, threshold, keyCount) => (await loadShares()).splitKey(masterKey, threshold, keyCount),
  combine: async (shards) => (await loadShares()).combineShards(shards),
  makeAnother: async (shards) => (await loadShares()).makeAnother(shards),
};

function findBytesProblem(hex: string): string | undefined {
  return hex.length > 0 && hex.length % 2 === 0 ? undefined : "must be whole bytes, at least one";
}

const schemes = { "bls12-381": bls12381, gf256 } as const satisfies Record<ShardScheme, Sharing>;

export const checkScheme: Check<ShardScheme> = (value = "bls12-381", name) => {
  if (!Object.hasOwn(schemes, value as string)) throw invalidOption(name, Object.keys(schemes).join(" or "));
  return value as ShardScheme;
};

/** A whole number of at least 2: with 1, every shard is the key. */
export const checkThreshold: Check<number> = (value = DEFAULT_THRESHOLD, name) => {
  if (!Number.isSafeInteger(value) || (value as number) < 2) throw invalidOption(name, "a whole number of at least 2");
  return value as number;
};

export const checkKeyCount: Check<number> = (value = KEY_NODE_COUNT, name) => {
  if (!Number.isSafeInteger(value)) throw invalidOption(name, "a whole number");
  return value as number;
};

/** Returns the scheme whose shards have an `index` of this many characters, if there is one. */
function detectSharing(length: number): Sharing | undefined {
  return Object.values(schemes).find(({ indexLength }) => indexLength === length);
}

/** Returns how keys are split; throws `INVALID_OPTION` unless so many shards can be made and are enough. */
export function getSharing(scheme: ShardScheme, threshold: number, keyCount: number): Sharing {
  const sharing: Sharing = schemes[scheme];
  if (keyCount > sharing.maxKeyCount) throw invalidOption("keyCount", `at most ${sharing.maxKeyCount} in this scheme`);
  if (threshold > keyCount) throw invalidOption("threshold", "no more shards needed than there are (keyCount)");
  return sharing;
}

/**
 * Checks an untrusted list of shards: each well-formed, all of one scheme (and in `gf256` of one
 * length), no duplicate index.
 *
 * @returns the shards and their scheme, undefined for an empty list
 * @throws KeeplightError `INVALID_SHARDS`; `details.position` identifies the shard, and no shard is shown
 */
export function readShards(value: unknown): { shards: readonly KeyShard[]; sharing: Sharing | undefined } {
  if (!Array.isArray(value)) throw invalidShards("keyShards must be an array of objects { index, key }");
  const shards = Array.from(value, checkKeyShard);
  const [first] = shards;
  if (first === undefined) return { shards, sharing: undefined };
  const seen = new Set<string>();
  for (const [position, { key, index }] of shards.entries()) {
    if (index.length !== first.index.length) throw invalidShards("keyShards are of different schemes", position);
    if (key.length !== first.key.length) throw invalidShards("keyShards are of different lengths", position);
    const place = index.toLowerCase();
    if (seen.has(place)) throw invalidShards("keyShards have the same index twice", position);
    seen.add(place);
  }
  return { shards, sharing: detectSharing(first.index.length) };
}

/**
 * Whether this is a well-formed shard of either scheme: hex of the right lengths, an index that is not
 * zero, numbers inside the field. Whether it belongs to any key is not checked.
 */
export function isKeyShard(value: unknown): value is KeyShard {
  return typeof readShard(value) !== "string";
}

/** Returns a copy of a well-formed shard of either scheme; throws `INVALID_SHARDS`, which names its position. */
export function checkKeyShard(value: unknown, position: number): KeyShard {
  const shard = readShard(value);
  if (typeof shard === "string") throw invalidShards(`keyShards[${position}]: ${shard}`, position);
  return shard;
}

/** Returns a copy of a well-formed shard, or a description of what is wrong with it. */
function readShard(value: unknown): KeyShard | string {
  if (typeof value !== "object" || value === null) return "must be an object { index, key }";
  if (!("index" in value && "key" in value)) return "must have index and key";
  const { index, key } = value;
  if (typeof index !== "string" || typeof key !== "string") return "index and key must be strings";
  if (/[^0-9a-f]/i.test(index + key)) return "index and key must be hex";
  const sharing = detectSharing(index.length);
  if (sharing === undefined) return "index must be 64 hex characters (bls12-381) or 2 (gf256)";
  if (/^0*$/.test(index)) return "index must not be zero";
  return sharing.findShardProblem({ index, key }) ?? { index, key };
}
