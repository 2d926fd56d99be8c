import { ignore } from "../../base/errors/base.ts";
import { type BlockSearch, findAtNonce, findByCounts, findTransaction } from "../../network/ethereum/block-search.ts";
import { callView } from "../../network/ethereum/contracts.ts";
import {
  type ChainTransaction,
  getNonce,
  getReceipt,
  getTransaction,
  hasCode,
  ignoreFailure,
  requestQuantity,
} from "../../network/ethereum/eth-rpc.ts";
import { createLogSearch } from "../../network/ethereum/log-search.ts";
import { readCallsStatus } from "../../network/ethereum/wallet/wallet-requests.ts";
import { erc20, findPaymentEvents } from "../chain/contracts.ts";
import type { Attempt } from "../machine.ts";
import type { Context } from "./context.ts";
import { findMarked, getEventSearch, type Located, listPayerEvents } from "./look-up-order.ts";
import { findMismatch, isDirect, isOrdered, type Mismatch, type Seen, toDisplaced, toSeen } from "./match.ts";
import { checkNodeChain } from "./next-step.ts";
import { listKnownAttempts } from "./ongoing-payment.ts";

export type Observation =
  | { kind: "seen"; seen: Seen }
  /**
   * `taken`: its nonce is used by another transaction, which is not found. `dropped`: the wallet reports that it made no
   * calls and will not. `silent`: the wallet failed, and neither nonce, events nor wallet show anything.
   */
  | { kind: "pending" | "missing" | "taken" | "dropped" | "silent" }
  /** The transaction that the wallet reported is not the payment, which is not found. */
  | { kind: "mismatch"; mismatch: Mismatch }
  | { kind: "located"; located: Located };

/**
 * Looks at an attempt once. What is signed here is made by its own bytes only. What a wallet was requested to send is
 * recognised by the hash that it reported, the order's mark, or the payer's nonce, and compared with the request.
 *
 * @param isOverdue - whether the transaction has been unknown for so long that the wallet may have changed it
 */
export async function observe(
  context: Context,
  attempt: Attempt,
  search: BlockSearch,
  isOverdue: boolean,
): Promise<Observation> {
  // The mark may have shown another transaction to be the order's.
  return attempt.signed.some(({ hash }) => hash === attempt.hash)
    ? observeSigned(context, attempt, search)
    : observeAsked(context, attempt, search, isOverdue);
}

async function observeSigned(context: Context, attempt: Attempt, search: BlockSearch): Promise<Observation> {
  const { rpc } = context;
  const { signed, nonce = attempt.nextNonce, hash = "" } = attempt;
  for (const variant of signed.toReversed()) {
    const receipt = await getReceipt(rpc, variant.hash);
    if (!receipt) continue;
    if (variant.isCancel) return toDisplaced(context, variant.hash, receipt.block);
    if (variant.hash !== hash) return { kind: "located", located: { hash: variant.hash, nonce } };
    return toSeen(context, receipt);
  }
  const isKnown = (await getTransaction(rpc, signed.at(-1)?.hash ?? hash)) !== undefined;
  return observeNonce(context, { ...attempt, nonce }, search, isKnown);
}

/** Looks at the nonce of a transaction that is not mined. */
async function observeNonce(
  context: Context,
  attempt: Attempt & { nonce: number },
  search: BlockSearch,
  isKnown: boolean,
): Promise<Observation> {
  const { rpc, sender } = context;
  const { hash, nonce, signed } = attempt;
  if ((await getNonce(rpc, sender.address, "latest")) <= nonce) return { kind: isKnown ? "pending" : "missing" };
  // Not through a wallet that has switched chains.
  await checkNodeChain(context);
  const by = await findAtNonce(rpc, sender.address, search, nonce);
  if (by?.hash === hash) return { kind: "pending" };
  if (by && signed.some((variant) => variant.hash === by.hash)) return { kind: "located", located: by };
  const isMarked = context.order.mark !== undefined && attempt.step === "pay";
  // The key that signs here is used elsewhere, too: only the mark shows that it was for this order.
  const isSame = by && (signed.length === 0 || isMarked) && isDirect(context, attempt, by);
  const isOthers = isSame && !isMarked && (await listOthers(context)).some((other) => other.hash === by.hash);
  if (isSame && !isOthers) return { kind: "located", located: by };
  // A wallet may have sent it again, at another nonce.
  const finding = findByMark(context, attempt, search.deadline);
  const found = await (signed.length > 0 ? finding.catch(ignore("RPC_REFUSED")) : finding);
  if (found) return { kind: "located", located: found };
  if (by) return toDisplaced(context, by.hash, by.block);
  const isDisplaced = signed.length > 0 && search.isComplete && (await wasUsedBefore(context, nonce, search));
  return isDisplaced ? toDisplaced(context, undefined, search.firstBlock) : { kind: "taken" };
}

/**
 * Whether a nonce was used before the first block that could have what was signed here. If not, the block that used it is
 * one that the node does not show yet. A node without that state is believed.
 */
async function wasUsedBefore(
  { rpc, sender }: Context,
  nonce: number,
  { firstBlock }: Pick<BlockSearch, "firstBlock">,
): Promise<boolean> {
  if (firstBlock === 0) return false;
  const count = await getNonce(rpc, sender.address, firstBlock - 1).catch(ignore("RPC_REFUSED"));
  return count === undefined || count > nonce;
}

async function observeAsked(
  context: Context,
  attempt: Attempt,
  search: BlockSearch,
  isOverdue: boolean,
): Promise<Observation> {
  const { rpc } = context;
  const { hash, nonce, callsId } = attempt;
  const receipt = hash === undefined ? undefined : await getReceipt(rpc, hash);
  const mismatch = receipt && (await findMismatch(context, attempt, receipt));
  if (receipt && !mismatch) return toSeen(context, receipt);
  const missing: Observation = mismatch ? { kind: "mismatch", mismatch } : { kind: "missing" };
  const known = hash === undefined || mismatch ? undefined : await getTransaction(rpc, hash);
  if (nonce !== undefined && !mismatch)
    return observeNonce(context, { ...attempt, nonce }, search, known !== undefined);
  if (known) return isDirect(context, attempt, known) ? { kind: "located", located: known } : { kind: "pending" };
  if (callsId !== undefined) {
    const sight = await observeCalls(context, attempt, callsId, search);
    if (sight.kind === "reverted" && receipt) return toSeen(context, receipt, "reverted");
    if (sight.kind === "located" || sight.kind === "pending") return sight;
    if (!attempt.failure) return sight.kind === "dropped" ? sight : missing;
  }
  // Nodes lag behind each other: only a hash that stays unknown has been replaced in the wallet.
  if (hash !== undefined && !mismatch && !isOverdue) return missing;
  await checkNodeChain(context);
  const marked = await findByMark(context, attempt, search.deadline).catch(ignore("RPC_REFUSED"));
  const found = marked ?? (await findByNonce(context, attempt, search));
  if (found && found.hash !== hash) return { kind: "located", located: found };
  if (attempt.step !== "pay" && (await isAllowanceSet(context, attempt)))
    return { kind: "seen", seen: { outcome: "succeeded", confirmations: 1 } };
  return attempt.failure && (await isSilent(context, attempt, search)) ? { kind: "silent" } : missing;
}

/** Finds a marked payment by the contract's events; throws what {@link listPayerEvents} throws. */
async function findByMark(context: Context, attempt: Attempt, deadline: number): Promise<Located | undefined> {
  if (context.order.mark === undefined || attempt.step !== "pay") return undefined;
  const latest = Number(await requestQuantity(context.rpc, "eth_blockNumber"));
  const logs = await listPayerEvents(context, getEventSearch(context, latest), latest, deadline);
  const found = await findMarked(context, logs);
  return found.find(({ hash }) => hash !== attempt.hash);
}

/** Finds what an account without code sent at the nonce that was its next one when the wallet was asked. */
async function findByNonce(context: Context, attempt: Attempt, search: BlockSearch): Promise<Located | undefined> {
  const { rpc, sender } = context;
  const { nextNonce } = attempt;
  if (attempt.callsId !== undefined || (await getNonce(rpc, sender.address, "latest")) <= nextNonce) return undefined;
  const found = await findAtNonce(rpc, sender.address, search, nextNonce);
  if (!found || !isDirect(context, attempt, found)) return undefined;
  const others = await listOthers(context);
  return others.some((other) => other.hash === found.hash || isAlike(other, attempt)) ? undefined : found;
}

/** What is known of the payer's other payments. */
async function listOthers(context: Context) {
  const known = await listKnownAttempts(context, { withJournal: context.payment.orderId !== undefined });
  return known.filter(({ isOwn }) => !isOwn);
}

/** Whether nothing distinguishes the transaction of an attempt from that of another one, which the wallet has yet to name. */
function isAlike(other: Attempt, { to, data, value, nextNonce }: Attempt): boolean {
  const isOpen = other.end === undefined && other.hash === undefined && other.failure?.kind !== "rejected";
  const isSame = other.to === to && other.data === data && other.value === value;
  return isOpen && isSame && other.nextNonce === nextNonce;
}

/**
 * Whether nonce, events and wallet show nothing of an attempt that the wallet failed at. Of an account with code, which
 * others may send for, only the contract's events show that, and they need not exist for the chain's own coin.
 */
async function isSilent(context: Context, attempt: Attempt, search: BlockSearch): Promise<boolean> {
  const { order, rpc, sender } = context;
  const { callsId, nextNonce } = attempt;
  const mined = await getNonce(rpc, sender.address, "latest");
  if ((await getNonce(rpc, sender.address, "pending")) > mined) return false;
  if (mined > nextNonce) {
    const others = new Set((await listOthers(context)).map(({ hash }) => hash));
    const isSame = (sent: ChainTransaction): boolean =>
      sent.nonce >= nextNonce && isDirect(context, attempt, sent) && !others.has(sent.hash);
    const all = { ...search, fromBlock: search.firstBlock };
    const sent = await listByCounts(context, all, nextNonce, mined);
    const found = sent ? sent.find(isSame) : await findTransaction(rpc, sender.address, all, isSame);
    // What is not searched, because the time is up, is not empty.
    if (found || !(sent || all.isComplete)) return false;
  }
  if (callsId === undefined && !(await hasCode(rpc, sender.address))) return true;
  if (callsId !== undefined && !sender.sign) {
    const { state } = await readCallsStatus(sender, callsId);
    if (state === "pending" || state === "confirmed") return false;
    if (state === "dropped") return true;
  }
  // Contracts need not emit an event for coins: only what the user says himself is believed then.
  if (!order.tokenContract && attempt.failure?.kind !== "rejected") return false;
  const events = createLogSearch(search.firstBlock);
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  const logs = await listPayerEvents(context, events, latest, search.deadline).catch(ignoreFailure);
  if (!logs) return false;
  if (order.mark !== undefined) return (await findMarked(context, logs)).length === 0;
  return !findPaymentEvents(logs, order.network.contract).some(({ event }) => isOrdered(order, event));
}

/** So many transactions are looked up one by one; the blocks of more are searched. */
const MAX_COUNTED = 20;

/** Lists what the payer sent from one nonce to before another; `undefined` if the node does not show all of it. */
async function listByCounts({ rpc, sender }: Context, search: BlockSearch, from: number, to: number) {
  if (to - from > MAX_COUNTED) return undefined;
  const sent: ChainTransaction[] = [];
  for (let nonce = from; nonce < to; nonce++) {
    const found = await findByCounts(rpc, sender.address, search, nonce);
    if (!found) return undefined;
    sent.push(found);
  }
  return sent;
}

/** Whether the token has the allowance that an approval was to set, regardless of the transaction that set it. */
async function isAllowanceSet({ order, rpc, sender }: Context, { step, to, data }: Attempt): Promise<boolean> {
  const allowance = await callView(rpc, erc20, to, ["allowance", sender.address, order.network.contract]);
  const [, requested] = erc20.decodeFunctionData("approve", data);
  return typeof allowance === "bigint" && (step === "approve" ? allowance >= requested : allowance === 0n);
}

/**
 * Looks at calls that a wallet makes in one transaction, whose hash is unknown or not that of the payment: the mark proves
 * the payment, whatever the wallet reports.
 */
async function observeCalls(
  context: Context,
  attempt: Attempt,
  callsId: string,
  search: BlockSearch,
): Promise<Observation | { kind: "reverted" }> {
  const { sender } = context;
  await checkNodeChain(context);
  const found = await findByMark(context, attempt, search.deadline).catch(ignore("RPC_REFUSED"));
  if (found) return { kind: "located", located: found };
  if (sender.sign) return { kind: "missing" };
  const { state, hash = attempt.hash } = await readCallsStatus(sender, callsId);
  if (hash !== undefined && hash !== attempt.hash) return { kind: "located", located: { hash } };
  if (state === "reverted" && hash !== undefined) return { kind: "reverted" };
  if (state === "dropped" || state === "reverted") return { kind: "dropped" };
  return { kind: state === "pending" ? "pending" : "missing" };
}
