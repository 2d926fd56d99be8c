import { allInOrder } from "../../base/async/queue.ts";
import type { NetworkName, PaymentToken } from "../../base/config/networks.ts";
import {
  COIN_ADDRESS,
  findNetworkName,
  findTokenName,
  type ResolvedNetwork,
} from "../../base/config/resolve-network.ts";
import { KeeplightError } from "../../base/errors/base.ts";
import { paymentMissed, paymentReverted, paymentUnconfirmed, unreadableResponse } from "../../base/errors/payment.ts";
import {
  type ChainTransaction,
  getReceipt,
  getTransaction,
  type Receipt,
  readBlockHeader,
  readLogIndex,
  requestQuantity,
} from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { findPaymentEvents, findTransfers, paymentContract } from "../chain/contracts.ts";

/** What proves a payment. Plain data, for JSON. */
export interface PaymentReceipt {
  /** Names the payment: chain id, transaction and log index. A reorganisation does not change it. Credit each once. */
  id: string;
  /** The name of the chain in `networks`, if it has one. */
  network?: NetworkName;
  /** As in EIP-155. */
  chainId: number;
  /** The payment contract's address, lower-case. */
  contract: string;
  /** The currency of `amount`; absent for a token that the network's row does not list. */
  token?: PaymentToken;
  /** Of the token's contract, lower-case; zero for the chain's own coin. */
  tokenAddress: string;
  /** In the token's smallest unit, as a decimal string. */
  amount: string;
  /** The payer's address, lower-case: of the account that paid, which need not be the sender of the transaction. */
  sender: string;
  /** Of the transaction. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** Of its block. */
  blockHash: string;
  /** Index of the contract's event among those of the transaction; `null` for coins that the contract took without an event. */
  logIndex: number | null;
  /** Of the block, in seconds since 1970. */
  timestamp: number;
  /** How many blocks confirm the payment, its own included. */
  confirmations: number;
}

/** What a transaction paid. */
type Paid = Pick<PaymentReceipt, "tokenAddress" | "sender" | "logIndex"> & { amount: bigint };

/**
 * Makes the receipts of the payments that the contract reported in a transaction, in their order. Of a token, no more is
 * received than it reports to have transferred for the payment.
 *
 * @throws `INVALID_RESPONSE` for logs that are not in the order of their block: one of them may be there twice
 */
export function toReceipts(network: ResolvedNetwork, mined: Mined): PaymentReceipt[] {
  const { logs } = mined;
  const contract = network.contract.toLowerCase();
  let last = -1;
  let from = 0;
  return findPaymentEvents(logs, contract).map(({ event, log, position }) => {
    const index = readLogIndex(log);
    if (index <= last) throw unreadableResponse("eth_getTransactionReceipt");
    last = index;
    const { tokenAddress, sender, amount } = event;
    // The contract transfers the token, then emits its event.
    const transferred = findTransfers(logs.slice(from, position), tokenAddress)
      .filter((transfer) => transfer.event.from === sender && transfer.event.to === contract)
      .reduce((sum, transfer) => sum + transfer.event.amount, 0n);
    from = position + 1;
    const received = tokenAddress === COIN_ADDRESS || transferred > amount ? amount : transferred;
    // Unlike the index in the block, a reorganisation does not change the position among the transaction's logs.
    return toReceipt(network, mined, { tokenAddress, sender, logIndex: position, amount: received });
  });
}

export function toReceipt(network: ResolvedNetwork, mined: Mined, { amount, ...paid }: Paid): PaymentReceipt {
  const { chainId, contract } = network;
  const { hash, block, blockHash, timestamp, confirmations } = mined;
  const name = findNetworkName(network);
  const token = findTokenName(network, paid.tokenAddress);
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
    timestamp,
    confirmations,
  };
}

/** A mined transaction that succeeded. */
export interface Mined extends Receipt {
  /** Of its block, in seconds since 1970. */
  timestamp: number;
  /** How many blocks confirm it, its own included. */
  confirmations: number;
}

/**
 * Reads a transaction that enough blocks confirm: fewer may revert it, or its failure.
 *
 * @param needed - how many, its own included
 * @throws `PAYMENT_NOT_FOUND`, `PAYMENT_UNCONFIRMED`, `PAYMENT_REVERTED`, `PAYMENT_REORGANISED`; what {@link Rpc} throws
 */
export async function readMined(rpc: Rpc, hash: string, needed: number): Promise<Mined> {
  const facts = { step: "pay", hash };
  const receipt = await getReceipt(rpc, hash);
  if (!receipt) {
    if (await getTransaction(rpc, hash)) throw paymentUnconfirmed(hash, 0, needed);
    const message = "The chain has no transaction with this hash";
    throw new KeeplightError("PAYMENT_NOT_FOUND", message, { details: { hash } });
  }
  if (!/^0x[0-9a-f]{64}$/.test(receipt.blockHash)) throw unreadableResponse("eth_getTransactionReceipt");
  const [latest, header] = await allInOrder([
    requestQuantity(rpc, "eth_blockNumber"),
    readBlockHeader(rpc, receipt.block),
  ]);
  if (header && header.hash !== receipt.blockHash) throw paymentMissed("PAYMENT_REORGANISED", facts);
  const confirmations = header ? Math.max(Number(latest) - receipt.block + 1, 0) : 0;
  if (!header || confirmations < needed) throw paymentUnconfirmed(hash, confirmations, needed);
  if (!receipt.succeeded) throw paymentReverted(facts, { reason: "it failed when it was mined" });
  return { ...receipt, timestamp: header.timestamp, confirmations };
}

/**
 * Keeps the payments of a transaction that carry this mark. A direct call has to be the payment and the mark, nothing else.
 * A smart account or another contract makes the payment by a call within its data: the calls of one amount and token,
 * whatever their mark, belong to the events of that amount and token, in their order. Data need not be carried out: if it
 * has more of these calls than there are events, it does not show which of them paid, and none counts.
 */
export function keepMarked<Paid extends Pick<PaymentReceipt, "amount" | "tokenAddress" | "contract">>(
  receipts: readonly Paid[],
  { to, data }: Pick<ChainTransaction, "to" | "data">,
  mark: string,
): Paid[] {
  const input = data.toLowerCase();
  const calls = receipts.map(({ amount, tokenAddress }) =>
    paymentContract.encodeFunctionData("receiveToken", [amount, tokenAddress]),
  );
  return receipts.filter(({ contract }, at) => {
    const call = calls[at] ?? "";
    if (to === contract) return input === `${call}${mark}`;
    const marks = readMarks(input, call.slice(2));
    const count = (list: readonly string[]) => list.filter((other) => other === call).length;
    return marks.length <= count(calls) && marks[count(calls.slice(0, at))] === mark;
  });
}

/** Reads the 32 bytes after each occurrence of a call: its mark, if it has one. */
function readMarks(data: string, call: string): string[] {
  const marks: string[] = [];
  for (let at = data.indexOf(call); at !== -1; at = data.indexOf(call, at + 1)) {
    const end = at + call.length;
    if (at % 2 === 0) marks.push(data.slice(end, end + 64));
  }
  return marks;
}
