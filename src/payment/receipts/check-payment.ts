import type { PaymentNetwork } from "../../config/networks.ts";
import { invalidOption } from "../../errors/input.ts";
import { notThePayment, paymentUnderpaid, unreadableResponse } from "../../errors/payment.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
import { callOptionNames, resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { wholeNumber } from "../../validation/number.ts";
import { getTransaction } from "../chain/eth-rpc.ts";
import { resolveLiveNetwork, resolveToken } from "../chain/network.ts";
import { checkPayerAddress } from "../chain/payer-address.ts";
import { createReadingRpc } from "../chain/reading-rpc.ts";
import { checkAmount } from "../order.ts";
import { networkOptionNames } from "../price-options.ts";
import { NO_TOKEN } from "./find-payments.ts";
import { type Mined, readMined } from "./read-mined.ts";
import { toReceipt, toReceipts } from "./to-receipt.ts";
import type { PaymentReceipt, VerifyPaymentOptions } from "./types.ts";

const optionNames = [callOptionNames, networkOptionNames, "token,sender,amount,confirmations,logIndex,rpc"] as const;

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

/**
 * Implements `verifyPayment`.
 *
 * @throws what `verifyPayment` throws
 */
export async function checkPayment(hash: string, options: VerifyPaymentOptions): Promise<PaymentReceipt> {
  const requested = checkOptions(options, optionNames);
  const call = resolveCall(requested);
  const expected = checkExpected(hash, requested);
  const { network } = expected;
  const needed = wholeNumber("confirmations", requested.confirmations, network.confirmations ?? 1, 1);
  const rpc = createReadingRpc(requested.rpc, network, call);
  return rpc.onOneNode(async (node) => {
    const mined = await readMined(node, expected.hash, needed);
    const receipts = toReceipts(network, mined);
    return receipts.length > 0 ? choosePayment(receipts, expected) : readTransfer(node, mined, expected);
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
function choosePayment(receipts: readonly PaymentReceipt[], expected: Expected): PaymentReceipt {
  const { hash, sender, tokenAddress, amount, logIndex } = expected;
  const named = logIndex === undefined ? receipts : receipts.filter((receipt) => receipt.logIndex === logIndex);
  if (named.length === 0) throw notThePayment(hash, "logIndex", String(logIndex), joinUnique(receipts, "logIndex"));
  const ofSender = named.filter((receipt) => receipt.sender === sender);
  if (ofSender.length === 0) throw notThePayment(hash, "sender", sender, joinUnique(named, "sender"));
  const inToken = ofSender.filter((receipt) => receipt.tokenAddress === tokenAddress);
  if (inToken.length === 0) throw notThePayment(hash, "token", tokenAddress, joinUnique(ofSender, "tokenAddress"));
  const enough = inToken.find((receipt) => BigInt(receipt.amount) >= amount);
  if (enough) return enough;
  const amounts = inToken.map((receipt) => BigInt(receipt.amount));
  const most = amounts.reduce((best, received) => (received > best ? received : best));
  throw paymentUnderpaid({ step: "pay", hash }, amount, most);
}

/** Reads what the payer itself sent of the chain's own coin to a contract that emits no event for it. */
async function readTransfer(rpc: Rpc, mined: Mined, expected: Expected): Promise<PaymentReceipt> {
  const { hash, network, sender, tokenAddress, amount, logIndex } = expected;
  const contract = network.contract.toLowerCase();
  const transaction = await getTransaction(rpc, hash);
  if (!transaction) throw unreadableResponse("eth_getTransactionByHash");
  const { from, to, value } = transaction;
  if (to !== contract || value === 0n || tokenAddress !== NO_TOKEN) throw notThePayment(hash, "contract", contract, to);
  if (from !== sender) throw notThePayment(hash, "sender", sender, from);
  if (logIndex !== undefined) throw notThePayment(hash, "logIndex", String(logIndex), "");
  if (value < amount) throw paymentUnderpaid({ step: "pay", hash }, amount, value);
  return toReceipt(network, mined, { tokenAddress, sender, logIndex: null, amount: value });
}

function joinUnique(receipts: readonly PaymentReceipt[], name: "logIndex" | "sender" | "tokenAddress"): string {
  return [...new Set(receipts.map((receipt) => receipt[name]))].join(", ");
}
