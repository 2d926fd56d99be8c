import { wait } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/queue.ts";
import { ignore, KeeplightError } from "../../base/errors/base.ts";
import { toSafeCause } from "../../base/errors/nodes.ts";
import {
  paymentMissed,
  paymentRejected,
  paymentReverted,
  paymentUnknown,
  rpcRefused,
} from "../../base/errors/payment.ts";
import { MARGIN_BLOCKS } from "../../network/ethereum/block-search.ts";
import { callView } from "../../network/ethereum/contracts.ts";
import {
  findRefusal,
  getReceipt,
  ignoreFailure,
  isLog,
  type Receipt,
  requestQuantity,
  toHex,
} from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { createLogSearch } from "../../network/ethereum/log-search.ts";
import { erc20, findPaymentEvents, findTransfers, readRevertData } from "../chain/contracts.ts";
import { type Attempt, type Command, fold, type State } from "../machine.ts";
import type { Payment, PaymentTransaction } from "../types.ts";
import { type Context, getExplorerLink, toFacts } from "./context.ts";
import { observeOnce, type WalletFailure } from "./effects.ts";
import { findMarked, listPayerEvents } from "./look-up-order.ts";
import type { Seen } from "./match.ts";
import type { Result } from "./ongoing-payment.ts";

export type Receipts = Map<number, Receipt>;

/** Reads what the contract received for a mined payment, and records it together with the end of the attempt. */
export async function settle(context: Context, paid: Attempt, receipts: Receipts): Promise<void> {
  const mined: MinedTransaction[] = [];
  for (const attempt of fold(context.payment.entries)) {
    if (attempt.end !== undefined || attempt.hash === undefined) continue;
    const { hash } = attempt;
    const receipt = receipts.get(attempt.attempt) ?? (await getReceipt(context.rpc, hash));
    if (receipt?.succeeded) mined.push({ ...attempt, hash, receipt });
  }
  const last = mined.find(({ attempt }) => attempt === paid.attempt);
  if (!last) return;
  const result = await readResult(context, mined, last);
  if ("payment" in result) {
    const duplicates = await findDuplicates(context, fold(context.payment.entries), last.hash);
    if (duplicates.length > 0) result.payment.duplicates = duplicates;
  }
  const { attempt, hash } = last;
  await context.payment.append({ type: "final", attempt, outcome: "succeeded", hash }, result);
  context.report("pay", "confirmed", hash);
}

/** Finds what attempts paid that were given up, besides the payment itself. */
async function findDuplicates(context: Context, state: State, paidBy: string): Promise<string[]> {
  const givenUp = state.filter(({ end }) => end === "given-up");
  const [first] = givenUp;
  if (!first) return [];
  if (context.order.mark !== undefined) {
    const search = createLogSearch(first.fromBlock - MARGIN_BLOCKS);
    const latest = Number(await requestQuantity(context.rpc, "eth_blockNumber"));
    const logs = await listPayerEvents(context, search, latest).catch(ignore("RPC_REFUSED"));
    const found = await findMarked(context, logs ?? []);
    return found.map(({ hash }) => hash).filter((hash) => hash !== paidBy);
  }
  const observed = await allInOrder(givenUp.map((attempt) => observeOnce(context, attempt)));
  return observed.flatMap((each) => (each.kind === "located" && each.located.hash !== paidBy ? each.located.hash : []));
}

/** Makes the error of a payment that stops. */
export async function explainStop(
  context: Context,
  { attempt, reason }: Extract<Command, { do: "stop" }>,
  seen: Seen | undefined,
  failure: WalletFailure | undefined,
): Promise<Error> {
  const facts = toFacts(context, attempt);
  const { hash, callsId } = attempt;
  const cause = failure && toCause(attempt, failure);
  if (reason === "rejected") return paymentRejected(attempt.step, cause);
  if (reason === "unknown") return paymentUnknown(facts, cause);
  const receipt = seen?.receipt;
  const cancel = attempt.signed.find((variant) => variant.isCancel && variant.hash === seen?.by);
  if (cancel) return paymentMissed("PAYMENT_CANCELLED", { ...facts, cancelHash: cancel.hash });
  if (!receipt || hash === undefined) return paymentMissed("PAYMENT_REPLACED", { ...facts, replacementHash: seen?.by });
  if (callsId !== undefined) return paymentReverted(facts, { reason: "reported by the wallet" });
  return decodeRevertReason(context, { ...attempt, hash, receipt });
}

/** What a wallet's error may be kept as: with the reason why the contract would revert, if the wallet says so. */
function toCause({ step }: Attempt, { error }: WalletFailure): Error {
  if (error.data === undefined) return toSafeCause(error);
  return paymentReverted({ step }, readRevertData(rpcRefused("eth_sendTransaction", error)));
}

/** A mined transaction with all its confirmations. */
type MinedTransaction = Attempt & { hash: string; receipt: Receipt };

/** Builds the error of a mined transaction that failed. Repeats it as a call to obtain the contract's reason. */
async function decodeRevertReason(context: Context, transaction: MinedTransaction): Promise<Error> {
  const { rpc, sender } = context;
  const { receipt } = transaction;
  const call = { from: sender.address, ...transaction, value: BigInt(transaction.value) };
  const refusal = await findRefusal(rpc, call, toHex(receipt.block));
  return paymentReverted(toFacts(context, transaction), readRevertData(refusal));
}

/**
 * Reads the result of a mined payment.
 *
 * @throws `PAYMENT_UNKNOWN` if it is not clear whether the token transferred the whole amount
 */
async function readResult(
  context: Context,
  mined: readonly MinedTransaction[],
  paid: MinedTransaction,
): Promise<Result> {
  const { order, sender } = context;
  const { network, token, tokenContract, amount, priceCheck } = order;
  const received = tokenContract ? await readReceived(context, tokenContract.address, paid) : amount;
  if (received < amount) return { hash: paid.hash, received: String(received) };
  const transactions = mined.map(({ step, hash, receipt }): PaymentTransaction => {
    const { block, fee } = receipt;
    return { step, hash, block, fee, link: getExplorerLink(order, hash) };
  });
  const events = findPaymentEvents(paid.receipt.logs, network.contract).map(({ event }) => event);
  const event = events.find((received) => received.sender === sender.address) ?? events[0];
  const payment: Payment = {
    hash: paid.hash,
    block: paid.receipt.block,
    link: getExplorerLink(order, paid.hash),
    amount,
    token,
    chainId: network.chainId,
    from: sender.address,
    contract: network.contract.toLowerCase(),
    fee: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    ...(event ? { event } : {}),
    ...(priceCheck ? { priceCheck } : {}),
    transactions: transactions as Payment["transactions"],
  };
  return { payment };
}

/** How often what arrived is read before it counts as unclear: nodes may answer for a later block at first. */
const MAX_READS = 3;

/**
 * Reads how much of a token arrived by its events of the payment. A faulty token can emit any event, and a node can leave
 * events out or return the balances of another block, so the contract's balance has to agree, if the node has that state.
 *
 * @throws `PAYMENT_UNKNOWN` if it changed by something else in the block than the token's events explain
 */
async function readReceived(context: Context, token: string, paid: MinedTransaction): Promise<bigint> {
  const { order, rpc, sender, waiting, signal } = context;
  const contract = order.network.contract.toLowerCase();
  const { logs, block } = paid.receipt;
  const own = findTransfers(logs, token).filter(({ event }) => event.from === sender.address);
  const received = sumTransfers(own, contract);
  const isSilent = !logs.some(({ address }) => address.toLowerCase() === token.toLowerCase());
  for (let reads = 1; ; reads++) {
    const credited = await readBalanceChange(rpc, token, contract, block);
    if (received === 0n && credited === 0n && isSilent) return 0n;
    if (received > 0n && (credited === undefined || credited === received)) return received;
    // Others may have paid in the same block.
    if (received > 0n && (await readTransferred(context, token, block)) === credited) return received;
    if (reads === MAX_READS) {
      const facts = toFacts(context, paid);
      const problem = "The node does not show clearly how much the payment contract received";
      const message = `${problem} (${facts.step}): look before paying again`;
      throw new KeeplightError("PAYMENT_UNKNOWN", message, { details: facts });
    }
    await wait(waiting.pollMs, signal);
  }
}

/** How much of a token all transfers of a block brought to the contract. */
async function readTransferred({ rpc, order }: Context, token: string, block: number): Promise<bigint> {
  const filter = { address: token, fromBlock: toHex(block), toBlock: toHex(block) };
  const response = await rpc("eth_getLogs", [filter]).catch(ignoreFailure);
  const all = findTransfers(Array.isArray(response) ? response.filter(isLog) : [], token);
  return sumTransfers(all, order.network.contract.toLowerCase());
}

/** How much more transfers brought to an account than they took. */
function sumTransfers(transfers: ReturnType<typeof findTransfers>, owner: string): bigint {
  return transfers.reduce((sum, { event: { from, to, amount } }) => {
    return sum + (to === owner ? amount : 0n) - (from === owner ? amount : 0n);
  }, 0n);
}

/** How much a token balance changed in a block; `undefined` if the node does not have that state. */
async function readBalanceChange(rpc: Rpc, token: string, owner: string, block: number): Promise<bigint | undefined> {
  const read = (at: number) => callView(rpc, erc20, token, ["balanceOf", owner], toHex(at)).catch(ignoreFailure);
  const [after, before] = [await read(block), await read(block - 1)];
  return typeof after === "bigint" && typeof before === "bigint" ? after - before : undefined;
}
