import { invalidAddress } from "../errors/input.ts";

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{44}$/;

/**
 * Returns an EVM address in lower case, or a 44-character base58 address unchanged; otherwise throws
 * `INVALID_ADDRESS`, whose details name it. An EVM address in mixed case must have the right checksum (EIP-55): a wrong
 * one is a typing error, and the file or the money would be a stranger's.
 */
export function checkAddress(address: unknown, position?: number): string {
  if (typeof address !== "string") throw invalidAddress(address, position);
  const lowerCase = address.toLowerCase();
  if (EVM_ADDRESS.test(lowerCase)) {
    const expected = findMisspelling(address);
    if (expected !== undefined) throw invalidAddress(address, position, expected);
    return lowerCase;
  }
  if (BASE58_ADDRESS.test(address)) return address;
  throw invalidAddress(address, position);
}

/** Returns an EVM address in lower case. Refuses base58 ones, which {@link checkAddress} accepts. */
export function checkEvmAddress(value: unknown): string {
  const address = checkAddress(value);
  if (!address.startsWith("0x")) throw invalidAddress(value);
  return address;
}

/** Returns how an EVM address in mixed case is spelled right; `undefined` for any other string, and if it is right. */
export function findMisspelling(text: string): string | undefined {
  const digits = text.slice(2);
  const lowerCase = text.toLowerCase();
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (!isMixed || !EVM_ADDRESS.test(lowerCase)) return undefined;
  const expected = toChecksumAddress(lowerCase);
  return expected.slice(2) === digits ? undefined : expected;
}

/** One address, or a list of at least one; an empty list is refused when the call runs. */
export type Addresses = string | readonly string[];

/** Checks one address or several and removes duplicates; throws `INVALID_ADDRESS` for none at all. */
export function checkAddresses(addresses: unknown): string[] {
  const list = Array.isArray(addresses) ? addresses : [addresses];
  if (list.length === 0) throw invalidAddress(addresses);
  return [...new Set(list.map((address, position) => checkAddress(address, list.length > 1 ? position : undefined)))];
}

/** Spells a lower-case EVM address with its checksum (EIP-55): case encodes a hash, so that most typing errors show. */
export function toChecksumAddress(address: string): string {
  const digits = address.slice(2);
  const hash = keccak256(digits);
  const isUpper = (at: number) => ((hash[at >> 1] ?? 0) & (at % 2 === 0 ? 0x80 : 0x08)) !== 0;
  return `0x${Array.from(digits, (digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join("")}`;
}

/** Bytes of input that one permutation takes in: the 200 of the state without twice the 32 of the hash. */
const RATE = 136;

/**
 * Computes Keccak-256 of an ASCII string shorter than 135 characters, as addresses are. Written here because every page
 * that shares a file loads it at once, and the noble package takes four times as much. It never handles a secret.
 */
export function keccak256(text: string): Uint8Array {
  const bytes = new Uint8Array(200);
  new TextEncoder().encodeInto(text, bytes);
  // The padding of Keccak: the one of SHA-3 (FIPS 202) starts with 6.
  bytes[text.length] = 1;
  bytes[RATE - 1] = 0x80;
  permute(new Int32Array(bytes.buffer));
  return bytes.slice(0, 32);
}

/**
 * Keccak-f[1600]: 24 rounds on 5 × 5 lanes of 64 bits, each as two halves, the low one first. The steps are those of
 * FIPS 202, section 3.2.
 */
function permute(state: Int32Array): void {
  const moved = new Int32Array(50);
  const parities = new Int32Array(10);
  let register = 1;
  for (let round = 0; round < 24; round++) {
    // Theta.
    for (let at = 0; at < 10; at++) {
      parities[at] =
        read(state, at) ^ read(state, at + 10) ^ read(state, at + 20) ^ read(state, at + 30) ^ read(state, at + 40);
    }
    for (let at = 0; at < 50; at++) {
      state[at] = read(state, at) ^ read(parities, (at + 8) % 10) ^ rotated(parities, (at + 2) % 10, 1);
    }
    // Rho and pi: all lanes but the first move to the next place of one cycle.
    moved.set(state.subarray(0, 2));
    let [x, y] = [1, 0];
    for (let step = 1; step <= 24; step++) {
      const from = 2 * (x + 5 * y);
      [x, y] = [y, (2 * x + 3 * y) % 5];
      for (const half of [0, 1]) {
        moved[2 * (x + 5 * y) + half] = rotated(state, from + half, ((step * (step + 1)) / 2) % 64);
      }
    }
    // Chi.
    for (let at = 0; at < 50; at++) {
      const row = at - (at % 10);
      state[at] = read(moved, at) ^ (~read(moved, row + ((at + 2) % 10)) & read(moved, row + ((at + 4) % 10)));
    }
    // Iota: a shift register decides on the bits 0, 1, 3, 7, 15, 31 and 63 of the constant.
    for (let bit = 1; bit <= 64; bit *= 2) {
      if (register & 1) state[bit > 32 ? 1 : 0] = read(state, bit > 32 ? 1 : 0) ^ (1 << (bit - 1));
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
  }
}

const read = (halves: Int32Array, at: number) => halves[at] ?? 0;

/** Reads half of a lane that is rotated to the left by `by` bits. */
function rotated(halves: Int32Array, at: number, by: number): number {
  const [upper, lower] = by < 32 ? [at, at ^ 1] : [at ^ 1, at];
  const bits = by % 32;
  return (read(halves, upper) << bits) | (bits === 0 ? 0 : read(halves, lower) >>> (32 - bits));
}
