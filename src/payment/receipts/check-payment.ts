import { COIN_ADDRESS, getTokenAddress, resolveLiveNetwork, resolveToken } from "../../base/config/resolve-network.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { notThePayment, paymentUnderpaid } from "../../base/errors/payment.ts";
import { checkEvmAddress } from "../../base/validation/address.ts";
import { requireTransaction } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc, RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { type Comparison, readFromNodes } from "../../network/ethereum/quorum.ts";
import { tokenAmount } from "../options.ts";
import { type ResolvedOrder, resolveOrder } from "../payment-order.ts";
import { keepMarked, type Mined, type PaymentReceipt, readMined, toReceipt, toReceipts } from "./receipt.ts";

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
  const read = async (node: Rpc): Promise<PaymentReceipt> => {
    const mined = await readMined(node, hash, needed);
    const { block } = mined;
    if (block < fromBlock) throw notThePayment(hash, "block", `${fromBlock} or later`, String(block));
    const receipts = toReceipts(order.network, mined);
    return receipts.length > 0 ? choosePayment(node, receipts, expected) : readTransfer(node, mined, expected);
  };
  return readFromNodes(order.network, rpc, options, read, comparison);
}

/** Nodes may be blocks apart. */
const comparison: Comparison<PaymentReceipt> = {
  word: "paid",
  describe: (receipt) => JSON.stringify({ ...receipt, confirmations: 0 }),
  choose: (one, other) => (other.confirmations < one.confirmations ? other : one),
};

async function resolveExpected({ order, network: named, token, sender, amount }: VerifyingOptions) {
  if (order !== undefined) {
    if ((token ?? sender ?? amount) === undefined) return resolveOrder(order, named);
    throw invalidOption("order", "an order without token, sender and amount");
  }
  const paid = {
    sender: checkEvmAddress(sender),
    amount: tokenAmount(amount, "amount"),
    mark: undefined,
    fromBlock: 0,
  };
  const network = resolveLiveNetwork(named);
  return { ...paid, network, tokenContract: resolveToken(network, token ?? "native") };
}

/** Chooses the payment that is meant, among those that the contract reported. */
async function choosePayment(rpc: Rpc, receipts: PaymentReceipt[], expected: Expected): Promise<PaymentReceipt> {
  const { hash, sender, tokenAddress, amount, logIndex, mark } = expected;
  let left = mark === undefined ? receipts : keepMarked(receipts, await requireTransaction(rpc, hash), mark);
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
  const { from, to, value } = await requireTransaction(rpc, hash);
  if (to !== contract || value === 0n || tokenAddress !== COIN_ADDRESS)
    throw notThePayment(hash, "contract", contract, to);
  if (from !== sender) throw notThePayment(hash, "sender", String(sender), from);
  if (logIndex !== undefined) throw notThePayment(hash, "logIndex", String(logIndex), "");
  if (value < amount) throw paymentUnderpaid({ step: "pay", hash }, amount, value);
  return toReceipt(network, mined, { tokenAddress, sender: from, logIndex: null, amount: value });
}
