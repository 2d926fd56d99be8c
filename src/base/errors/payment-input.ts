import { abbreviated, KeeplightError } from "./base.ts";
import { nearestName } from "./input.ts";

/** @param networks - names of the supported networks */
export function unsupportedNetwork(network: unknown, networks: readonly string[]): KeeplightError {
  const nearest = typeof network === "string" ? nearestName(network, networks) : undefined;
  return new KeeplightError("UNSUPPORTED_NETWORK", "Unsupported Network!!!", {
    details: {
      network: typeof network === "string" ? network : undefined,
      networks,
      nearest,
    },
    hint: `${abbreviated(network)}, ${nearest === undefined ? `not one of ${networks.join(", ")}` : `did you mean ${nearest}?`}`,
  });
}

/** The chain has been shut down; `networks` are the names of those that have not. */
export function retiredNetwork(network: string, networks: readonly string[]): KeeplightError {
  return new KeeplightError("UNSUPPORTED_NETWORK", "Unsupported Network!!!", {
    details: { network, networks, retired: true },
    hint: `${network} has been shut down`,
  });
}

export function missingToken(): KeeplightError {
  return new KeeplightError("MISSING_TOKEN", "Token not provided!!!");
}

export function missingPrivateKey(): KeeplightError {
  return new KeeplightError("MISSING_PRIVATE_KEY", "Private Key not found!!!");
}

/** @param problem - whether the network table or the payment contract does not know the token */
export function tokenNotSupported(token: string, problem: string, tokens?: readonly string[]): KeeplightError {
  const nearest = tokens && nearestName(token, tokens);
  const others = tokens ? `, it has ${tokens.join(", ")}` : "";
  const hint = nearest === undefined ? others : `, did you mean ${nearest}?`;
  return new KeeplightError("TOKEN_NOT_SUPPORTED", `Token ${token} cannot be paid with: ${problem}${hint}`, {
    details: { token, tokens, nearest },
  });
}

export function aboveLimit(amount: bigint, maxAmount: bigint): KeeplightError {
  return new KeeplightError("PAYMENT_ABOVE_LIMIT", `The payment of ${amount} is above maxAmount, ${maxAmount}`, {
    details: { amount: String(amount), maxAmount: String(maxAmount) },
  });
}
