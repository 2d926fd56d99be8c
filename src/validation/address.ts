import { invalidAddress } from "../errors/input.ts";

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{44}$/;

/**
 * Returns an EVM address in lower case, or a 44-character base58 address unchanged; otherwise throws
 * `INVALID_ADDRESS`, whose details name it. EIP-55 checksums are not checked, as in other clients of the network.
 */
export function checkAddress(address: unknown, position?: number): string {
  if (typeof address !== "string") throw invalidAddress(address, position);
  const lowerCase = address.toLowerCase();
  if (EVM_ADDRESS.test(lowerCase)) return lowerCase;
  if (BASE58_ADDRESS.test(address)) return address;
  throw invalidAddress(address, position);
}

/** One address, or a list of at least one. */
export type Addresses = string | readonly [string, ...string[]];

/** Checks one address or several and removes duplicates; throws `INVALID_ADDRESS` for none at all. */
export function checkAddresses(addresses: unknown): string[] {
  const list = Array.isArray(addresses) ? addresses : [addresses];
  if (list.length === 0) throw invalidAddress(addresses);
  return [...new Set(list.map((address, position) => checkAddress(address, list.length > 1 ? position : undefined)))];
}
