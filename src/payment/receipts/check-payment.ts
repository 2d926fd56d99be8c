import { deriveSignal } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { nodesDisagree, notThePayment, paymentUnderpaid } from "../../base/errors/payment.ts";
import { connectToNodes, type Nodes } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc, RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { COIN_ADDRESS, getTokenAddress, resolveLiveNetwork, resolveToken } from "../chain/network.ts";
import { payerAddress, tokenAmount } from "../options.ts";
import { type ResolvedOrder, resolveOrder } from "../payment-order.ts";
import {
  keepMarked,
  type Mined,
  type PaymentReceipt,
  readMined,
  readTransaction,
  toReceipt,
  toReceipts,
} from "./receipt.ts";

interface Expected extends Pick<ResolvedOrder, "network" | "sender" | "amount" | "mark"> {
  hash: string;
  /** Lower-case, as all addresses here. */
  tokenAddress: string;
  logIndex: number | undefined;
}

interface VerifyingOptions extends RpcLimits, Pick<Expected, "sender" | "logIndex"> {
  network: unknown;
  order: unknown;
  token: unknown;
  amount: bigint | undefined;
  confirmations: number | undefined;
  rpc: readonly string[] | undefined;
}

/** Implements `verifyPayment`. */
export async function checkPayment(hash: string, options: VerifyingOptions): Promise<PaymentReceipt> {
  const { logIndex, rpc, confirmations } = options;
  const { tokenContract, fromBlock, ...order } = await resolveExpected(options);
  const expected: Expected = { ...order, hash, tokenAddress: getTokenAddress(tokenContract), logIndex };
  const needed = confirmations ?? order.network.confirmations ?? 1;
  return readFromNodes(order.network, rpc, options, async (node) => {
    const mined = await readMined(node, hash, needed);
    const { block } = mined;
    if (block < fromBlock) throw notThePayment(hash, "block", `${fromBlock} or later`, String(block));
    const receipts = toReceipts(order.network, mined);
    return receipts.length > 0 ? choosePayment(node, receipts, expected) : readTransfer(node, mined, expected);
  });
}

async function resolveExpected({ order, network: named, token, sender, amount }: VerifyingOptions) {
  if (order !== undefined) {
    if ((token ?? sender ?? amount) === undefined) return resolveOrder(order, named);
    throw invalidOption("order", "an order without token, sender and amount");
  }
  const paid = { sender: payerAddress(sender), amount: tokenAmount(amount, "amount"), mark: undefined, fromBlock: 0 };
  const network = resolveLiveNetwork(named);
  return { ...paid, network, tokenContract: resolveToken(network, token ?? "native") };
}

/** Chooses the payment that is meant, among those that the contract reported. */
async function choosePayment(rpc: Rpc, receipts: PaymentReceipt[], expected: Expected): Promise<PaymentReceipt> {
  const { hash, sender, tokenAddress, amount, logIndex, mark } = expected;
  let left = mark === undefined ? receipts : keepMarked(receipts, await readTransaction(rpc, hash), mark);
  if (left.length === 0) throw notThePayment(hash, "mark", String(mark), "");
  const keep = (field: Parameters<typeof notThePayment>[1], name: keyof PaymentReceipt, value: string | number) => {
    const matching = left.filter((receipt) => receipt[name] === value);
    const got = [...new Set(left.map((receipt) => receipt[name]))].join(", ");
    if (matching.length === 0) throw notThePayment(hash, field, String(value), got);
    left = matching;
  };
  if (logIndex !== undefined) keep("logIndex", "logIndex", logIndex);
  if (sender !== undefined) keep("sender", "sender", sender);
  keep("token", "tokenAddress", tokenAddress);
  const enough = left.find((receipt) => BigInt(receipt.amount) >= amount);
  if (enough) return enough;
  const amounts = left.map((receipt) => BigInt(receipt.amount));
  const most = amounts.reduce((best, received) => (received > best ? received : best));
  throw paymentUnderpaid({ step: "pay", hash }, amount, most);
}

/** Reads what the payer itself sent of the chain's own coin to a contract that emits no event for it. */
async function readTransfer(rpc: Rpc, mined: Mined, expected: Expected): Promise<PaymentReceipt> {
  const { hash, network, sender, tokenAddress, amount, logIndex } = expected;
  const contract = network.contract.toLowerCase();
  const { from, to, value } = await readTransaction(rpc, hash);
  if (to !== contract || value === 0n || tokenAddress !== COIN_ADDRESS)
    throw notThePayment(hash, "contract", contract, to);
  if (from !== sender) throw notThePayment(hash, "sender", String(sender), from);
  if (logIndex !== undefined) throw notThePayment(hash, "logIndex", String(logIndex), "");
  if (value < amount) throw paymentUnderpaid({ step: "pay", hash }, amount, value);
  return toReceipt(network, mined, { tokenAddress, sender: from, logIndex: null, amount: value });
}

/** What a node says of a payment: its receipt, or why there is none. */
type Opinion = PromiseSettledResult<PaymentReceipt>;

/**
 * Reads a receipt from the first node that works. If there are three or more, requests the first three at once, and believes
 * the receipt, or the code of an error, that two of them agree on.
 *
 * @throws `INVALID_RESPONSE` if no two agree; what `read` throws
 */
async function readFromNodes(
  network: Nodes,
  urls: readonly string[] | undefined,
  limits: RpcLimits,
  read: (node: Rpc) => Promise<PaymentReceipt>,
): Promise<PaymentReceipt> {
  const nodes = [...new Set(urls ?? [network.rpc, ...(network.moreRpcs ?? [])])];
  if (nodes.length < 3) return connectToNodes(network, nodes, limits).onOneNode(read);
  const { signal, end } = deriveSignal(limits.signal);
  const connected = nodes.slice(0, 3).map((url) => connectToNodes(network, [url], { ...limits, signal }));
  const readings = connected.map(read);
  const pairs = readings.flatMap((one, at) => readings.slice(at + 1).map((other) => agree(one, other)));
  try {
    const agreed = await Promise.any(pairs).catch(async () => {
      throw nodesDisagree((await Promise.allSettled(readings)).map((it) => ("value" in it ? "paid" : describe(it))));
    });
    if ("value" in agreed) return agreed.value;
    throw agreed.reason;
  } finally {
    end();
  }
}

/** Returns what both say, with the fewer confirmations; rejects if they disagree. */
async function agree(...pair: [Promise<PaymentReceipt>, Promise<PaymentReceipt>]): Promise<Opinion> {
  const [one, other] = await Promise.allSettled(pair);
  if (describe(one) !== describe(other)) throw new Error("they disagree");
  return "value" in one && "value" in other && other.value.confirmations < one.value.confirmations ? other : one;
}

/** Equal for opinions that agree. */
function describe(opinion: Opinion): string {
  if ("value" in opinion) return JSON.stringify({ ...opinion.value, confirmations: 0 });
  return isKeeplightError(opinion.reason) ? opinion.reason.code : String(opinion.reason);
}
