import { type NetworkName, networks, type PaymentNetwork, type PaymentToken } from "../../config/networks.ts";
import { NO_TOKEN } from "./find-payments.ts";
import type { PaymentReceipt } from "./types.ts";

/** What a receipt states besides what the network does. */
type Facts = Pick<
  PaymentReceipt,
  "tokenAddress" | "sender" | "hash" | "block" | "blockHash" | "logIndex" | "timestamp" | "confirmations"
> & { amount: bigint };

/** Makes the receipt of a payment on this network. */
export function toReceipt(network: PaymentNetwork, { amount, ...facts }: Facts): PaymentReceipt {
  const { chainId, contract } = network;
  const name = findName(network);
  const token = findToken(network, facts.tokenAddress);
  return {
    id: `${chainId}:${facts.hash}:${facts.logIndex ?? "value"}`,
    ...(name === undefined ? {} : { network: name }),
    chainId,
    contract: contract.toLowerCase(),
    ...(token === undefined ? {} : { token }),
    amount: String(amount),
    ...facts,
  };
}

function findName({ chainId }: PaymentNetwork): NetworkName | undefined {
  const names = Object.keys(networks) as NetworkName[];
  return names.find((name) => networks[name].chainId === chainId);
}

function findToken({ tokens }: PaymentNetwork, tokenAddress: string): PaymentToken | undefined {
  if (tokenAddress === NO_TOKEN) return "native";
  const names = Object.keys(tokens) as (keyof typeof tokens)[];
  return names.find((name) => tokens[name]?.address.toLowerCase() === tokenAddress);
}
