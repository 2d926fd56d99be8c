import { isKeeplightError } from "../../errors/base.ts";
import { sanitizeServerText } from "../../errors/provider-error.ts";
import { reverts } from "./abi.ts";

/** Why a contract reverted. */
export interface Revert {
  /** In words. */
  reason: string;
  /** The contract's own name for it. */
  error?: string;
}

const words: Readonly<Record<string, string>> = {
  ENDOWMENT_TRANSFER_FAILED: "the payment contract could not pass the amount on to its endowment",
  INSUFFICIENT_CONTRACT_BALANCE: "the payment contract holds too little",
  INSUFFICIENT_USER_BALANCE: "the payer holds too little of the token",
  INVALID_ZERO_ADDRESS: "an address is zero",
  TOKEN_APPROVAL_FAILED: "the payment contract is not approved to take the amount",
  TOKEN_NOT_SUPPORTED: "the payment contract does not take this token",
  TOKEN_PAYMENT_FAILED: "the token did not hand the amount over",
  OwnableUnauthorizedAccount: "only the owner of the contract may do this",
  OwnableInvalidOwner: "the contract cannot have this owner",
  SafeERC20FailedOperation: "the token did not do what it was asked to",
  ERC20InsufficientBalance: "the payer holds too little of the token",
  ERC20InsufficientAllowance: "the payment contract is not approved to take the amount",
  ERC20InvalidReceiver: "the token cannot be sent to this address",
};

/** What a contract's answer to a refused call, or what an error of {@link Rpc} holds of it, means. */
export function readRevertData(error: unknown): Revert {
  const data = isKeeplightError(error) ? error.details["data"] : undefined;
  if (typeof data !== "string") return { reason: "the contract gave no reason" };
  return decodeRevert(data) ?? { reason: `the contract gave the unknown reason ${data.slice(0, 10)}` };
}

/** `undefined` for errors that are not known, or cut short, or whose text is no UTF-8. */
function decodeRevert(data: string): Revert | undefined {
  try {
    const parsed = reverts.parseError(data);
    if (parsed?.name === "Error") return { reason: sanitizeServerText(`"${parsed.args[0]}"`) };
    if (parsed?.name === "Panic") return { reason: `the contract broke off (panic ${parsed.args[0]})`, error: "Panic" };
    return parsed ? { reason: words[parsed.name] ?? parsed.name, error: parsed.name } : undefined;
  } catch {
    return undefined;
  }
}
