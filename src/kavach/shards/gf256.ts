import type { KeyShard, Sharing } from "./sharing.ts";

/** Characters of an index: one byte. */
const INDEX_LENGTH = 2;

/**
 * Shamir's scheme over GF(2^8), byte by byte, by `shamir-secret-sharing`. Its shares are the y bytes
 * followed by one x byte: `key` is the former, `index` the latter. The package is loaded on first use,
 * so that pages which never use this scheme do not load it.
 */
export const gf256: Sharing = {
  indexLength: INDEX_LENGTH,
  maxKeyCount: 255,
  writtenByOlderClients: false,
  generateKey: () => toHex(crypto.getRandomValues(new Uint8Array(32))),
  findKeyProblem: findBytesProblem,
  findShardProblem({ key }) {
    const problem = findBytesProblem(key);
    return problem === undefined ? undefined : `key ${problem}`;
  },
  async split(masterKey, threshold, keyCount) {
    const { split } = await import("shamir-secret-sharing");
    const shares = await split(fromHex(masterKey), keyCount, threshold);
    return shares.map(toShard);
  },
  async combine(shards) {
    const { combine } = await import("shamir-secret-sharing");
    return toHex(await combine(shards.map(({ key, index }) => fromHex(key + index))));
  },
  async makeAnother(shards) {
    const taken = new Set(["00", ...shards.map(({ index }) => index.toLowerCase())]);
    let place = "00";
    while (taken.has(place)) place = toHex(crypto.getRandomValues(new Uint8Array(1)));
    // Subtraction in GF(2^8) is XOR: with every index shifted by `place`, the value at 0 is the value at `place`.
    const shifted = shards.map(({ key, index }) => ({ key, index: toIndex(fromIndex(index) ^ fromIndex(place)) }));
    return { key: await gf256.combine(shifted), index: place };
  },
};

function findBytesProblem(hex: string): string | undefined {
  return hex.length > 0 && hex.length % 2 === 0 ? undefined : "must be whole bytes, at least one";
}

function fromIndex(index: string): number {
  return Number.parseInt(index, 16);
}

function toIndex(place: number): string {
  return place.toString(16).padStart(INDEX_LENGTH, "0");
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, toIndex).join("");
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], fromIndex);
}

function toShard(share: Uint8Array): KeyShard {
  return { key: toHex(share.subarray(0, -1)), index: toHex(share.subarray(-1)) };
}
