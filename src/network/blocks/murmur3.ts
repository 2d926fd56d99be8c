// MurmurHash3 x64 128 by Austin Appleby (public domain), of which folders use the first 64 bits:
// https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory. Coded by hand: the packages that have it bring a framework.

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const BLOCK_BYTES = 16;

const low = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => low((value << by) | (value >> (64n - by)));
const mixFirst = (lane: bigint): bigint => low(rotate(low(lane * C1), 31n) * C2);
const mixSecond = (lane: bigint): bigint => low(rotate(low(lane * C2), 33n) * C1);

/** Computes the first 64 bits of MurmurHash3 x64 128 with seed 0. */
export function murmur3(bytes: Uint8Array): bigint {
  let first = 0n;
  let second = 0n;
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) {
    first ^= mixFirst(readLane(bytes, at));
    first = low(low(rotate(first, 27n) + second) * 5n + 0x52dce729n);
    second ^= mixSecond(readLane(bytes, at + 8));
    second = low(low(rotate(second, 31n) + first) * 5n + 0x38495ab5n);
  }
  const length = BigInt(bytes.length);
  first ^= mixFirst(readLane(bytes, whole)) ^ length;
  second ^= mixSecond(readLane(bytes, whole + 8)) ^ length;
  first = low(first + second);
  second = low(second + first);
  return low(finish(first) + finish(second));
}

/** Reads 8 bytes, the lowest first; those after the end count as zero. */
function readLane(bytes: Uint8Array, start: number): bigint {
  let lane = 0n;
  for (let at = 7; at >= 0; at--) lane = (lane << 8n) | BigInt(bytes[start + at] ?? 0);
  return lane;
}

function finish(lane: bigint): bigint {
  const mixed = low((lane ^ (lane >> 33n)) * 0xff51afd7ed558ccdn);
  const again = low((mixed ^ (mixed >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return again ^ (again >> 33n);
}
