import { ignore, isKeeplightError } from "../../base/errors/base.ts";
import {
  paymentCancelled,
  paymentReplaced,
  paymentReverted,
  paymentUnclear,
  paymentUnderpaid,
} from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { erc20, findPaymentEvents, findTransfers, readRevertData } from "../chain/contracts.ts";
import { callView, getReceipt, isLog, type Log, type Receipt, toCallFields, toHex } from "../chain/eth-rpc.ts";
import { type Attempt, fold, type State } from "../machine.ts";
import type { Payment, PaymentTransaction } from "../types.ts";
import { type Context, getExplorerLink, toFacts } from "./context.ts";
import { createSearch, findPaymentLog } from "./find-transaction.ts";
import type { Seen } from "./observe.ts";
import type { Journey, Result } from "./payment-record.ts";

/** How a payment ended; an error may only be the end of this call. */
export type PaymentEnd = Result | { error: unknown };

/** Receipts of attempts that succeeded. */
export type Receipts = Map<number, Receipt>;

/** Reads what the contract received for a mined payment, and records it together with the end of the attempt. */
export async function settle(context: Context, journey: Journey, paid: Attempt, receipts: Receipts): Promise<void> {
  const mined: MinedTransaction[] = [];
  for (const attempt of fold(journey.entries)) {
    if (attempt.end !== undefined || attempt.hash === undefined) continue;
    const { hash } = attempt;
    const receipt = receipts.get(attempt.attempt) ?? (await getReceipt(context.rpc, hash));
    if (receipt?.succeeded) mined.push({ ...attempt, hash, receipt });
  }
  const last = mined.find(({ attempt }) => attempt === paid.attempt);
  if (!last) return;
  const result = await readOutcome(context, mined, last);
  if ("payment" in result) {
    const duplicates = await findDuplicates(context, fold(journey.entries), last.hash);
    if (duplicates.length > 0) result.payment.duplicates = duplicates;
  }
  const { attempt, hash } = last;
  await journey.append({ type: "final", attempt, outcome: "succeeded", hash }, result);
  context.report("pay", "confirmed", hash);
}

/** Finds what attempts paid that were given up, besides the payment itself. */
async function findDuplicates(context: Context, state: State, paidBy: string): Promise<string[]> {
  const hashes: string[] = [];
  for (const attempt of state) {
    if (attempt.end !== "given-up") continue;
    const search = createSearch(attempt, performance.now() + context.waiting.waitMs);
    const found = await findPaymentLog(context, attempt, search).catch(ignore("RPC_REFUSED"));
    if (found && found.hash !== paidBy) hashes.push(found.hash);
  }
  return hashes;
}

async function readOutcome(
  context: Context,
  mined: readonly MinedTransaction[],
  paid: MinedTransaction,
): Promise<Result> {
  try {
    return { payment: await readResult(context, mined, paid) };
  } catch (error) {
    if (isKeeplightError(error, "PAYMENT_UNDERPAID"))
      return { hash: paid.hash, received: String(error.details.received) };
    throw error;
  }
}

/**
 * Explains why an attempt failed.
 *
 * @throws `PAYMENT_CANCELLED`, `PAYMENT_REPLACED`, as a reorganisation may still restore the transaction
 */
export async function explainFailure(context: Context, attempt: Attempt, seen: Seen | undefined): Promise<PaymentEnd> {
  const { hash } = attempt;
  const receipt = seen?.receipt;
  if (!receipt && seen?.by !== undefined && seen.by === attempt.cancelHash) {
    throw paymentCancelled(toFacts(context, attempt), seen.by);
  }
  if (!receipt || hash === undefined) throw paymentReplaced(toFacts(context, attempt), seen?.by);
  if (attempt.callsId !== undefined)
    return { error: paymentReverted(toFacts(context, attempt), { reason: "reported by the wallet" }) };
  return { error: await decodeRevertReason(context, { ...attempt, hash, receipt }) };
}

/** A mined transaction with all its confirmations. */
type MinedTransaction = Attempt & { hash: string; receipt: Receipt };

/** Builds the error of a mined transaction that failed. Repeats it as a call to obtain the contract's reason. */
async function decodeRevertReason(context: Context, transaction: MinedTransaction): Promise<Error> {
  const { rpc, sender } = context;
  const { receipt } = transaction;
  const call = toCallFields({ from: sender.address, ...transaction, value: BigInt(transaction.value) });
  const refusal = await rpc("eth_call", [call, toHex(receipt.block)]).then(
    () => undefined,
    (error: unknown) => error,
  );
  return paymentReverted(toFacts(context, transaction), readRevertData(refusal));
}

/**
 * Reads the result of a mined payment.
 *
 * @throws `PAYMENT_UNDERPAID` if the token did not transfer the whole amount, `PAYMENT_UNKNOWN` if that is not clear
 */
async function readResult(
  context: Context,
  mined: readonly MinedTransaction[],
  paid: MinedTransaction,
): Promise<Payment> {
  const { order, sender } = context;
  const { network, token, tokenContract, amount } = order;
  if (tokenContract) await checkReceived(context, tokenContract.address, paid);
  const transactions = mined.map(
    ({ step, hash, receipt: { block, fee } }): PaymentTransaction => ({
      step,
      hash,
      block,
      fee,
      link: getExplorerLink(order, hash),
    }),
  );
  const events = findPaymentEvents(paid.receipt.logs, network.contract).map(({ event }) => event);
  const event = events.find((received) => received.sender === sender.address) ?? events[0];
  return {
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
    transactions: transactions as Payment["transactions"],
  };
}

/** What shows how much of a token arrived. */
interface Evidence {
  /** By the token's events of the payment; `undefined` if it has none that can be read. */
  transferred: bigint | undefined;
  /** Whether the token emitted anything. */
  hasLogs: boolean;
  /** What balances changed by in the block, if the node has that state. */
  moved: { debited: bigint; credited: bigint } | undefined;
}

/**
 * Compares the received amount with the order. A token that takes a fee emits an event with less; a malicious one can
 * emit any event, and a node can return the balances of another block, so both have to agree.
 *
 * @throws `PAYMENT_UNDERPAID` if less arrived, `PAYMENT_UNKNOWN` if events and balances disagree
 */
async function checkReceived(
  context: Context,
  token: string,
  paid: Pick<Attempt, "step" | "hash"> & { receipt: Receipt },
): Promise<void> {
  const { order, rpc, sender } = context;
  const { amount } = order;
  const contract = order.network.contract.toLowerCase();
  const { logs, block } = paid.receipt;
  const transfers = findTransfers(logs, token).filter(
    ({ event: { from, to } }) => from === sender.address && to === contract,
  );
  const payerChange = await readBalanceChange(rpc, token, sender.address, block);
  const credited = await readBalanceChange(rpc, token, contract, block);
  const isKnown = payerChange !== undefined && credited !== undefined;
  const received = judge(amount, {
    transferred: transfers.length === 0 ? undefined : transfers.reduce((sum, { event }) => sum + event.amount, 0n),
    hasLogs: logs.some(({ address }) => address.toLowerCase() === token.toLowerCase()),
    moved: isKnown ? { debited: -payerChange, credited } : undefined,
  });
  if (received === "unclear" && isKnown && transfers.length > 0) {
    const moves = { [sender.address]: payerChange, [contract]: credited };
    if (await doEventsExplain(rpc, token, moves, block)) return;
  }
  if (received === "unclear") throw paymentUnclear(toFacts(context, paid));
  if (received < amount) throw paymentUnderpaid(toFacts(context, paid), amount, received < 0n ? 0n : received);
}

function judge(amount: bigint, { transferred, hasLogs, moved }: Evidence): bigint | "unclear" {
  if (transferred === undefined) {
    if (!moved) return "unclear";
    const received = moved.credited < moved.debited ? moved.credited : moved.debited;
    return received < amount && hasLogs ? "unclear" : received;
  }
  if (!moved) return transferred;
  const isMoved = moved.debited >= amount || moved.credited >= amount;
  if (transferred >= amount) return isMoved ? transferred : "unclear";
  return moved.credited >= amount ? "unclear" : transferred;
}

/** Whether all events of the block together explain the balances: then other transfers hid the payment in them. */
async function doEventsExplain(
  rpc: Rpc,
  token: string,
  moves: Readonly<Record<string, bigint>>,
  block: number,
): Promise<boolean> {
  const filter = { address: token, fromBlock: toHex(block), toBlock: toHex(block) };
  const response = await rpc("eth_getLogs", [filter]).catch(ignoreMissingState);
  const logs: Log[] = Array.isArray(response) ? response.filter(isLog) : [];
  const transfers = findTransfers(logs, token).map(({ event }) => event);
  return Object.entries(moves).every(([owner, change]) => {
    const net = transfers.reduce(
      (sum, { from, to, amount }) => sum + (to === owner ? amount : 0n) - (from === owner ? amount : 0n),
      0n,
    );
    return net === change;
  });
}

/** How much a token balance changed in a block; `undefined` if the node does not have that state. */
async function readBalanceChange(rpc: Rpc, token: string, owner: string, block: number): Promise<bigint | undefined> {
  try {
    const after = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block));
    const before = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block - 1));
    return typeof after === "bigint" && typeof before === "bigint" ? after - before : undefined;
  } catch (error) {
    return ignoreMissingState(error);
  }
}

/** Nodes without old state refuse to read it. */
function ignoreMissingState(error: unknown): undefined {
  if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
  throw error;
}
