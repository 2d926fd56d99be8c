import type { PaymentToken } from "../../base/config/networks.ts";
import { notThePayment, paymentUnderpaid, unreadableResponse } from "../../base/errors/payment.ts";
import type { Rpc, RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { connectToNodes } from "../chain/connect.ts";
import { getTransaction } from "../chain/eth-rpc.ts";
import { type ResolvedNetwork, resolveLiveNetwork, resolveToken } from "../chain/network.ts";
import type { NetworkOptions } from "../options.ts";
import { type Mined, readMined } from "./read-mined.ts";
import { toReceipt, toReceipts } from "./to-receipt.ts";
import { NO_TOKEN, type PaymentReceipt } from "./types.ts";

/** What a transaction has to pay. */
interface Expected {
  hash: string;
  network: ResolvedNetwork;
  /** Lower-case, as all addresses here. */
  tokenAddress: string;
  sender: string;
  amount: bigint;
  logIndex: number | undefined;
}

/** Options of `verifyPayment`, resolved but for the network. */
interface VerifyingOptions extends RpcLimits, Pick<Expected, "sender" | "amount" | "logIndex"> {
  network: NetworkOptions["network"];
  token: PaymentToken;
  confirmations: number | undefined;
  rpc: readonly string[] | undefined;
}

/**
 * Implements `verifyPayment`.
 *
 * @throws what `verifyPayment` throws
 */
export async function checkPayment(hash: string, options: VerifyingOptions): Promise<PaymentReceipt> {
  const { sender, amount, logIndex } = options;
  const network = resolveLiveNetwork(options.network);
  const tokenAddress = resolveToken(network, options.token)?.address.toLowerCase() ?? NO_TOKEN;
  const expected: Expected = { hash, network, tokenAddress, sender, amount, logIndex };
  const needed = options.confirmations ?? network.confirmations ?? 1;
  return connectToNodes(network, options.rpc, options).onOneNode(async (node) => {
    const mined = await readMined(node, hash, needed);
    const receipts = toReceipts(network, mined);
    return receipts.length > 0 ? choosePayment(receipts, expected) : readTransfer(node, mined, expected);
  });
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
