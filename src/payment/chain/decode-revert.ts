import { isKeeplightError } from "../../base/errors/base.ts";
import { sanitizeServerText } from "../../base/errors/provider-error.ts";
import { reverts } from "./abi.ts";

/** Why a contract reverted. */
export interface Revert {
  /** In plain English. */
  reason: string;
  /** Name of the contract's error. */
  error?: string;
}

const reasons: Readonly<Record<string, string>> = {
  ENDOWMENT_TRANSFER_FAILED: "the payment contract could not pass the amount on to its endowment",
  INSUFFICIENT_CONTRACT_BALANCE: "the payment contract holds too little",
  INSUFFICIENT_USER_BALANCE: "the payer holds too little of the token",
  INVALID_ZERO_ADDRESS: "an address is zero",
  TOKEN_APPROVAL_FAILED: "the payment contract is not approved to take the amount",
  TOKEN_NOT_SUPPORTED: "the payment contract does not accept this token",
  TOKEN_PAYMENT_FAILED: "the token did not transfer the amount",
  OwnableUnauthorizedAccount: "only the owner of the contract may do this",
  OwnableInvalidOwner: "the contract cannot have this owner",
  SafeERC20FailedOperation: "the token did not execute the requested operation",
  ERC20InsufficientBalance: "the payer holds too little of the token",
  ERC20InsufficientAllowance: "the payment contract is not approved to take the amount",
  ERC20InvalidReceiver: "the token cannot be sent to this address",
};

/** Reads why a contract reverted from an error of {@link Rpc}. */
export function readRevertData(error: unknown): Revert {
  const data = isKeeplightError(error) ? error.details["data"] : undefined;
  if (typeof data !== "string") return { reason: "the contract returned no reason" };
  return decodeRevert(data) ?? { reason: `the contract reverted with the unknown error ${data.slice(0, 10)}` };
}

/** `undefined` for errors that are unknown or truncated, or whose message is not UTF-8. */
function decodeRevert(data: string): Revert | undefined {
  try {
    const parsed = reverts.parseError(data);
    if (parsed?.name === "Error") return { reason: sanitizeServerText(`"${parsed.args[0]}"`) };
    if (parsed?.name === "Panic") return { reason: `the contract panicked (code ${parsed.args[0]})`, error: "Panic" };
    return parsed ? { reason: reasons[parsed.name] ?? parsed.name, error: parsed.name } : undefined;
  } catch {
    return undefined;
  }
}
