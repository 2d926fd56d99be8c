import { combine, split } from "shamir-secret-sharing";
import { fromHex, toHex } from "../../base/streams/bytes.ts";

// Shares of `shamir-secret-sharing` are the y bytes followed by one x byte.

/** A share in hex: `key` is the y bytes, `index` the x byte. */
interface Share {
  key: string;
  index: string;
}

export async function splitKey(masterKey: string, threshold: number, keyCount: number): Promise<Share[]> {
  const shares = await split(fromHex(masterKey), keyCount, threshold);
  return shares.map((share) => ({ key: toHex(share.subarray(0, -1)), index: toHex(share.subarray(-1)) }));
}

export async function combineShards(shards: readonly Share[]): Promise<string> {
  return toHex(await combine(shards.map(({ key, index }) => fromHex(key + index))));
}

export async function makeAnother(shards: readonly Share[]): Promise<Share> {
  const taken = new Set(["00", ...shards.map(({ index }) => index.toLowerCase())]);
  let place = "00";
  while (taken.has(place)) place = toHex(crypto.getRandomValues(new Uint8Array(1)));
  // Subtraction in GF(2^8) is XOR: with every index shifted by `place`, the value at 0 is the value at `place`.
  const shifted = shards.map(({ key, index }) => ({ key, index: toHex([toByte(index) ^ toByte(place)]) }));
  return { key: await combineShards(shifted), index: place };
}

const toByte = (hex: string) => Number.parseInt(hex, 16);
