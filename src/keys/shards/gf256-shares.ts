import { combine, split } from "shamir-secret-sharing";
import { fromHex, toHex } from "../../base/streams/bytes.ts";
import type { KeyShard } from "./sharing.ts";

// Shares of `shamir-secret-sharing` are the y bytes followed by one x byte: the `key` of a shard is the former, its
// `index` the latter.

export function generateKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

export async function splitKey(masterKey: string, threshold: number, keyCount: number): Promise<KeyShard[]> {
  const shares = await split(fromHex(masterKey), keyCount, threshold);
  return shares.map(toShard);
}

export async function combineShards(shards: readonly KeyShard[]): Promise<string> {
  return toHex(await combine(shards.map(({ key, index }) => fromHex(key + index))));
}

export async function makeAnother(shards: readonly KeyShard[]): Promise<KeyShard> {
  const taken = new Set(["00", ...shards.map(({ index }) => index.toLowerCase())]);
  let place = "00";
  while (taken.has(place)) place = toHex(crypto.getRandomValues(new Uint8Array(1)));
  // Subtraction in GF(2^8) is XOR: with every index shifted by `place`, the value at 0 is the value at `place`.
  const shifted = shards.map(({ key, index }) => ({ key, index: toHex([fromIndex(index) ^ fromIndex(place)]) }));
  return { key: await combineShards(shifted), index: place };
}

function fromIndex(index: string): number {
  return Number.parseInt(index, 16);
}

function toShard(share: Uint8Array): KeyShard {
  return { key: toHex(share.subarray(0, -1)), index: toHex(share.subarray(-1)) };
}
