import { invalidAddress } from "../errors/input.ts";
import { toChecksumAddress } from "./checksum.ts";

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
