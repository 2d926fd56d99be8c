import { type NetworkName, networks, type PaymentToken } from "../../base/config/networks.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import { readLogIndex } from "../chain/eth-rpc.ts";
import type { ResolvedNetwork } from "../chain/network.ts";
import { findPayments } from "./find-payments.ts";
import type { Mined } from "./read-mined.ts";
import { NO_TOKEN, type PaymentReceipt } from "./types.ts";

/** What a transaction paid. */
type Paid = Pick<PaymentReceipt, "tokenAddress" | "sender" | "logIndex"> & { amount: bigint };

/**
 * Makes the receipts of the payments that the contract reported in a transaction, in their order.
 *
 * @throws `INVALID_RESPONSE` for logs that are not in the order of their block: one of them may be there twice
 */
export function toReceipts(network: ResolvedNetwork, mined: Mined): PaymentReceipt[] {
  let last = -1;
  return findPayments(mined.receipt.logs, network.contract).map(({ event, log, position, received }) => {
    const index = readLogIndex(log);
    if (index <= last) throw unreadableResponse("eth_getTransactionReceipt");
    last = index;
    const { tokenAddress, sender } = event;
    return toReceipt(network, mined, { tokenAddress, sender, logIndex: position, amount: received });
  });
}

/** Makes the receipt of a payment on this network. */
export function toReceipt(network: ResolvedNetwork, mined: Mined, { amount, ...paid }: Paid): PaymentReceipt {
  const { chainId, contract } = network;
  const { hash, block, blockHash } = mined.receipt;
  const name = findName(network);
  const token = findToken(network, paid.tokenAddress);
  return {
    id: `${chainId}:${hash}:${paid.logIndex ?? "value"}`,
    ...(name === undefined ? {} : { network: name }),
    chainId,
    contract: contract.toLowerCase(),
    ...(token === undefined ? {} : { token }),
    amount: String(amount),
    ...paid,
    hash,
    block,
    blockHash,
    timestamp: mined.timestamp,
    confirmations: mined.confirmations,
  };
}

function findName({ chainId }: ResolvedNetwork): NetworkName | undefined {
  const names = Object.keys(networks) as NetworkName[];
  return names.find((name) => networks[name].chain_id === chainId);
}

function findToken({ tokens }: ResolvedNetwork, tokenAddress: string): PaymentToken | undefined {
  if (tokenAddress === NO_TOKEN) return "native";
  const names = Object.keys(tokens) as (keyof typeof tokens)[];
  return names.find((name) => tokens[name]?.address.toLowerCase() === tokenAddress);
}
