import { invalidAddress } from "../../errors/input.ts";
import { checkAddress } from "../../validation/address.ts";

/** Checks the address of an account that pays, and returns it in lower case. Refuses base58 ones, which others accept. */
export function checkPayerAddress(value: unknown): string {
  const address = checkAddress(value);
  if (!address.startsWith("0x")) throw invalidAddress(value);
  return address;
}
