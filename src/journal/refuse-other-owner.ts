import { invalidOption } from "../errors/input.ts";

/** Throws `INVALID_OPTION` unless the account that resumes an operation is the one that started it. */
export function refuseOtherOwner(owner: string, address: string): void {
  const isSame = owner.startsWith("0x") ? owner.toLowerCase() === address.toLowerCase() : owner === address;
  if (!isSame) throw invalidOption("signer", `the account that started the operation, ${owner}`);
}
