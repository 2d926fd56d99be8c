import { invalidOption } from "../base/errors/input.ts";

/** Throws `INVALID_OPTION` unless the account that resumes an operation is the one that started it. */
export function refuseOtherOwner(owner: string, address: string): void {
  if (!isSameAddress(owner, address)) throw invalidOption("signer", `the account that started the operation, ${owner}`);
}

/** Whether two addresses are of one account: the case of those of Ethereum is a checksum only. */
export function isSameAddress(one: string, other: string): boolean {
  return one.startsWith("0x") ? one.toLowerCase() === other.toLowerCase() : one === other;
}
