import { ignore } from "../../base/errors/base.ts";
import { erc20 } from "../chain/contracts.ts";
import {
  type ChainTransaction,
  callView,
  getNonce,
  getReceipt,
  getTransaction,
  type Receipt,
  requestQuantity,
} from "../chain/eth-rpc.ts";
import type { Attempt, Outcome } from "../machine.ts";
import { readCallsStatus } from "../wallet/wallet-requests.ts";
import { type Context, isOthers } from "./context.ts";
import {
  type FoundTransaction,
  findMismatch,
  findPaymentLog,
  findTransaction,
  isDirect,
  type Mismatch,
  type Search,
} from "./find-transaction.ts";
import { checkNodeChain } from "./next-step.ts";

/** The state of an attempt on the chain. */
export interface Seen {
  outcome: Outcome;
  /** How many blocks confirm that, the first included. */
  confirmations: number;
  /** Of a mined transaction. */
  receipt?: Receipt | undefined;
  /** Hash of the transaction that used the nonce. */
  by?: string | undefined;
}

/** By which transaction an attempt is made. */
export interface Located {
  hash: string;
  /** Absent if another account sent it. */
  nonce?: number | undefined;
}

/** The result of one poll. */
export type Observation =
  | { kind: "seen"; seen: Seen }
  /** `refused`: the wallet reports that it sent nothing and will not. */
  | { kind: "pending" | "missing" | "refused" }
  /** Its nonce is used by another transaction, which is not found. */
  | { kind: "taken" }
  /** The transaction that the wallet reported is not the payment, which is not found. */
  | { kind: "mismatch"; mismatch: Mismatch }
  | { kind: "located"; located: Located };

/**
 * Looks at an attempt once. Of what is signed here the hash stands for the content; what a wallet reports is compared
 * with what was requested, and if it is something else or unknown, the payment is searched for.
 *
 * @param isOverdue - whether the transaction has been unknown for so long that the wallet may have changed it
 */
export async function observe(
  context: Context,
  attempt: Attempt,
  search: Search,
  isOverdue: boolean,
): Promise<Observation> {
  const { rpc } = context;
  const { hash, nonce, raw } = attempt;
  const receipt = hash === undefined ? undefined : await getReceipt(rpc, hash);
  const mismatch = receipt && raw === undefined ? await findMismatch(context, attempt, receipt) : undefined;
  if (receipt && !mismatch) return { kind: "seen", seen: await toSeen(context, receipt) };
  const known = hash === undefined || mismatch ? undefined : await getTransaction(rpc, hash);
  if (nonce !== undefined && !mismatch)
    return observeNonce(context, { ...attempt, nonce }, search, known !== undefined);
  if (known) return isDirect(context, attempt, known) ? { kind: "located", located: known } : { kind: "pending" };
  if (attempt.callsId !== undefined) {
    const sight = await observeCalls(context, attempt, attempt.callsId, search);
    if (sight.kind === "reverted" && receipt) return { kind: "seen", seen: await toSeen(context, receipt, "reverted") };
    if (sight.kind !== "reverted" && sight.kind !== "missing") return sight;
    return mismatch ? { kind: "mismatch", mismatch } : { kind: "missing" };
  }
  // Nodes lag behind each other: only a hash that stays unknown has been replaced in the wallet.
  if (hash !== undefined && !mismatch && !isOverdue) return { kind: "missing" };
  const found = await findElsewhere(context, attempt, search);
  if (found) return found;
  return mismatch ? { kind: "mismatch", mismatch } : { kind: "missing" };
}

async function observeNonce(
  context: Context,
  attempt: Attempt & { nonce: number },
  search: Search,
  isKnown: boolean,
): Promise<Observation> {
  const { rpc, sender } = context;
  const { hash, nonce, raw } = attempt;
  if ((await getNonce(rpc, sender.address, "latest")) <= nonce) return { kind: isKnown ? "pending" : "missing" };
  // Not through a wallet that has switched chains.
  await checkNodeChain(context);
  const by = await findTransaction(rpc, sender.address, search, (other) => other.nonce === nonce);
  if (!by) return { kind: "taken" };
  if (by.hash === hash) return { kind: "pending" };
  if (isEquivalent(context, by, attempt)) return { kind: "located", located: by };
  // A wallet may have sent it again, at another nonce.
  const found = raw === undefined ? await findPaymentLog(context, attempt, search) : undefined;
  return found ? { kind: "located", located: found } : { kind: "seen", seen: toDisplaced(by) };
}

/** Searches for another transaction that does what the attempt was to do. */
async function findElsewhere(context: Context, attempt: Attempt, search: Search): Promise<Observation | undefined> {
  const { rpc, sender } = context;
  await checkNodeChain(context);
  const found =
    (attempt.step === "pay"
      ? await findPaymentLog(context, attempt, search).catch(ignore("RPC_REFUSED"))
      : undefined) ??
    (await findTransaction(rpc, sender.address, search, (other) => isEquivalent(context, other, attempt)));
  if (found && found.hash !== attempt.hash) return { kind: "located", located: found };
  if (attempt.step === "pay" || !(await isAllowanceSet(context, attempt))) return undefined;
  return { kind: "seen", seen: { outcome: "succeeded", confirmations: 1 } };
}

/** Whether the token has the allowance that an approval was to set, regardless of the transaction that set it. */
async function isAllowanceSet({ order, rpc, sender }: Context, { step, to, data }: Attempt): Promise<boolean> {
  const allowance = await callView(rpc, erc20, to, ["allowance", sender.address, order.network.contract]);
  const [, requested] = erc20.decodeFunctionData("approve", data);
  return typeof allowance === "bigint" && (step === "approve" ? allowance >= requested : allowance === 0n);
}

function toDisplaced({ hash, block, latest }: FoundTransaction): Seen {
  return { outcome: "displaced", confirmations: latest - block + 1, by: hash };
}

/** A single confirmation requires no further request. */
async function toSeen(
  { rpc, waiting }: Context,
  receipt: Receipt,
  outcome: Outcome = receipt.succeeded ? "succeeded" : "reverted",
): Promise<Seen> {
  if (outcome === "succeeded" && waiting.confirmations === 1) return { outcome, confirmations: 1, receipt };
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  // A reorganisation may have moved the transaction after its block was read, and before the latest one was.
  const again = await getReceipt(rpc, receipt.hash);
  const isSettled = again?.block === receipt.block && again.succeeded === receipt.succeeded;
  return { outcome, confirmations: isSettled ? Math.max(1, latest - receipt.block + 1) : 1, receipt };
}

/** Whether `other` has the same effect and is not known to belong to another payment of the same amount. */
function isEquivalent(context: Context, other: ChainTransaction, attempt: Attempt): boolean {
  const isLater = other.nonce >= attempt.noncesUsed;
  return isDirect(context, attempt, other) && isLater && !isOthers(context, attempt, other.hash);
}

/** What the chain and the wallet show of calls. `refused`: the wallet did not make them, and will not. */
type CallsSight =
  | { kind: "located"; located: { hash: string; nonce?: number } }
  | { kind: "pending" | "missing" | "refused" }
  | { kind: "reverted" };

/**
 * Looks at calls that a wallet makes in one transaction, whose hash is unknown or not that of the payment: the contract's
 * event proves the payment, whatever the wallet reports. That it made none is believed only of a wallet on whose chain
 * there is no event.
 */
async function observeCalls(context: Context, attempt: Attempt, callsId: string, search: Search): Promise<CallsSight> {
  const { sender } = context;
  await checkNodeChain(context);
  const logs = await findPaymentLog(context, attempt, search)
    .then((found) => ({ found }))
    .catch(ignore("RPC_REFUSED"));
  if (logs?.found && logs.found.hash !== attempt.hash) return { kind: "located", located: logs.found };
  if (sender.kind !== "wallet") return { kind: "missing" };
  const { state, hash = attempt.hash } = await readCallsStatus(sender, callsId);
  if (hash !== undefined && hash !== attempt.hash) return { kind: "located", located: { hash } };
  if (state === "reverted" && hash !== undefined) return { kind: "reverted" };
  const isDropped = state === "dropped" || state === "reverted";
  if (isDropped && logs) return { kind: "refused" };
  return { kind: state === "pending" ? "pending" : "missing" };
}
