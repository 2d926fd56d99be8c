import { KeeplightError } from "./base.ts";

export function unsupportedNetwork(network: unknown): KeeplightError {
  const details = typeof network === "string" ? { network } : {};
  return new KeeplightError("UNSUPPORTED_NETWORK", "Unsupported Network!!!", { details });
}

export function missingToken(): KeeplightError {
  return new KeeplightError("MISSING_TOKEN", "Token not provided!!!");
}

export function missingPrivateKey(): KeeplightError {
  return new KeeplightError("MISSING_PRIVATE_KEY", "Private Key not found!!!");
}

/** Neither the table nor the contract need know a token: `problem` says which of them does not. */
export function tokenNotSupported(token: string, problem: string): KeeplightError {
  return new KeeplightError("TOKEN_NOT_SUPPORTED", `Token ${token} cannot be paid with: ${problem}`, {
    details: { token },
  });
}

export function aboveLimit(amount: bigint, maxAmount: bigint): KeeplightError {
  return new KeeplightError("PAYMENT_ABOVE_LIMIT", `The payment of ${amount} is above maxAmount, ${maxAmount}`, {
    details: { amount: String(amount), maxAmount: String(maxAmount) },
  });
}
