import type { PaymentNetwork } from "../../config/networks.ts";
import { invalidOption } from "../../errors/input.ts";
import { notThePayment, paymentUnderpaid } from "../../errors/payment.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
import { resolveCall } from "../../options.ts";
import { wholeNumber } from "../../validation/number.ts";
import { getTransaction, readLogIndex } from "../chain/eth-rpc.ts";
import { resolveLiveNetwork, resolveToken } from "../chain/network.ts";
import { checkPayerAddress } from "../chain/payer-address.ts";
import { createReadingRpc } from "../chain/reading-rpc.ts";
import { checkAmount } from "../order.ts";
import { type FoundPayment, findPayments, NO_TOKEN } from "./find-payments.ts";
import { readMined } from "./read-mined.ts";
import { toReceipt } from "./to-receipt.ts";
import type { PaymentReceipt, VerifyPaymentOptions } from "./types.ts";

/** What a transaction has to pay. */
interface Expected {
  hash: string;
  network: PaymentNetwork;
  /** Lower-case, as all addresses here. */
  tokenAddress: string;
  sender: string;
  amount: bigint;
  logIndex: number | undefined;
}

/** What a transaction paid. */
interface Paid {
  amount: bigint;
  logIndex: number | null;
}

/**
 * Implements `verifyPayment`.
 *
 * @throws what `verifyPayment` throws
 */
export async function checkPayment(hash: string, requested: VerifyPaymentOptions): Promise<PaymentReceipt> {
  const call = resolveCall(requested);
  const expected = checkExpected(hash, requested);
  const { network, sender, tokenAddress } = expected;
  const needed = wholeNumber("confirmations", requested.confirmations, network.confirmations ?? 1, 1);
  const rpc = createReadingRpc(requested.rpc, network, call);
  const { receipt, timestamp, confirmations } = await rpc.onOneNode((node) => readMined(node, expected.hash, needed));
  const payments = findPayments(receipt.logs, network.contract);
  const paid = payments.length > 0 ? choosePayment(payments, expected) : await readTransfer(rpc, expected);
  const { block, blockHash } = receipt;
  return toReceipt(network, {
    ...paid,
    tokenAddress,
    sender,
    hash: expected.hash,
    block,
    blockHash,
    timestamp,
    confirmations,
  });
}

function checkExpected(hash: unknown, requested: VerifyPaymentOptions): Expected {
  if (typeof hash !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(hash)) {
    throw invalidOption("hash", "a transaction hash: 0x and 64 hex characters");
  }
  const network = resolveLiveNetwork(requested.network);
  const tokenContract = resolveToken(network, requested.token ?? "native");
  const { logIndex } = requested;
  return {
    hash: hash.toLowerCase(),
    network,
    tokenAddress: tokenContract?.address.toLowerCase() ?? NO_TOKEN,
    sender: checkPayerAddress(requested.sender),
    amount: checkAmount("amount", requested.amount),
    logIndex: logIndex === undefined ? undefined : wholeNumber("logIndex", logIndex, 0),
  };
}

/** Chooses the payment that is meant, among those that the contract reported. */
function choosePayment(payments: readonly FoundPayment[], expected: Expected): Paid {
  const { hash, sender, tokenAddress, amount, logIndex } = expected;
  const found = payments.map(({ event, log, received }) => ({ ...event, received, logIndex: readLogIndex(log) }));
  const named = logIndex === undefined ? found : found.filter((payment) => payment.logIndex === logIndex);
  if (named.length === 0) throw notThePayment(hash, "logIndex", String(logIndex), joinUnique(found, "logIndex"));
  const ofSender = named.filter((payment) => payment.sender === sender);
  if (ofSender.length === 0) throw notThePayment(hash, "sender", sender, joinUnique(named, "sender"));
  const inToken = ofSender.filter((payment) => payment.tokenAddress === tokenAddress);
  if (inToken.length === 0) throw notThePayment(hash, "token", tokenAddress, joinUnique(ofSender, "tokenAddress"));
  const enough = inToken.find(({ received }) => received >= amount);
  const most = inToken.reduce((best, { received }) => (received > best ? received : best), 0n);
  if (!enough) throw paymentUnderpaid({ step: "pay", hash }, amount, most);
  return { amount: enough.received, logIndex: enough.logIndex };
}

/** Reads what the payer itself sent of the chain's own coin to a contract that emits no event for it. */
async function readTransfer(rpc: Rpc, expected: Expected): Promise<Paid> {
  const { hash, network, sender, tokenAddress, amount, logIndex } = expected;
  const contract = network.contract.toLowerCase();
  const transaction = await getTransaction(rpc, hash);
  if (transaction?.to !== contract || transaction.value === 0n || tokenAddress !== NO_TOKEN) {
    throw notThePayment(hash, "contract", contract, transaction?.to ?? "");
  }
  if (transaction.from !== sender) throw notThePayment(hash, "sender", sender, transaction.from);
  if (logIndex !== undefined) throw notThePayment(hash, "logIndex", String(logIndex), "");
  if (transaction.value < amount) throw paymentUnderpaid({ step: "pay", hash }, amount, transaction.value);
  return { amount: transaction.value, logIndex: null };
}

function joinUnique<Name extends string>(payments: readonly Record<Name, string | number>[], name: Name): string {
  return [...new Set(payments.map((payment) => payment[name]))].join(", ");
}
