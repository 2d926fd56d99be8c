/** How many bytes Keccak-256 absorbs at once. */
const RATE = 136;

/** Spells a lower-case EVM address with its checksum (EIP-55): case encodes a hash, so that most typing errors show. */
export function toChecksumAddress(address: string): string {
  const digits = address.slice(2);
  const hash = hashShort(new TextEncoder().encode(digits));
  const isUpper = (at: number) => ((hash[at >> 1] ?? 0) & (at % 2 === 0 ? 0x80 : 0x08)) !== 0;
  return `0x${Array.from(digits, (digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join("")}`;
}

/** Keccak-256 of less than 136 bytes, without a library: pages load this at once. It protects no secret. */
function hashShort(bytes: Uint8Array): Uint8Array {
  const state = new DataView(new ArrayBuffer(200));
  for (const [at, byte] of bytes.entries()) state.setUint8(at, byte);
  state.setUint8(bytes.length, 0x01);
  state.setUint8(RATE - 1, state.getUint8(RATE - 1) | 0x80);
  const lanes = BigUint64Array.from({ length: 25 }, (_, lane) => state.getBigUint64(8 * lane, true));
  permute(lanes);
  for (const [lane, value] of lanes.entries()) state.setBigUint64(8 * lane, value, true);
  return new Uint8Array(state.buffer, 0, 32);
}

/** Keccak-f[1600] (FIPS 202, section 3); the array reduces each lane modulo 2^64. */
function permute(lanes: BigUint64Array): void {
  const get = (at: number) => lanes[at] as bigint;
  const parity = new BigUint64Array(5);
  let register = 1;
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 5; x++) parity[x] = get(x) ^ get(x + 5) ^ get(x + 10) ^ get(x + 15) ^ get(x + 20);
    for (let x = 0; x < 5; x++) {
      const change = (parity[(x + 4) % 5] as bigint) ^ rotate(parity[(x + 1) % 5] as bigint, 1);
      for (let at = x; at < 25; at += 5) lanes[at] = get(at) ^ change;
    }

    let moved = get(1);
    for (let step = 1, x = 1, y = 0; step <= 24; step++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = get(x + 5 * y);
      lanes[x + 5 * y] = rotate(moved, ((step * (step + 1)) / 2) % 64);
      moved = next;
    }

    for (let row = 0; row < 25; row += 5) {
      const old = lanes.slice(row, row + 5);
      for (let x = 0; x < 5; x++) {
        lanes[row + x] = (old[x] as bigint) ^ (~(old[(x + 1) % 5] as bigint) & (old[(x + 2) % 5] as bigint));
      }
    }

    for (let bit = 0; bit < 7; bit++) {
      register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256;
      if (register & 2) lanes[0] = get(0) ^ (1n << BigInt(2 ** bit - 1));
    }
  }
}

function rotate(lane: bigint, bits: number): bigint {
  return (lane << BigInt(bits)) | (lane >> BigInt(64 - bits));
}
