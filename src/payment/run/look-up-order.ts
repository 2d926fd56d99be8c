import { wait } from "../../base/async/abort.ts";
import { mapInOrder } from "../../base/async/parallel.ts";
import { allInOrder } from "../../base/async/queue.ts";
import { ignore } from "../../base/errors/base.ts";
import { orderUncertain, otherOrder, payerBusy, paymentMissed, unreadableResponse } from "../../base/errors/payment.ts";
import { MARGIN_BLOCKS } from "../../network/ethereum/block-search.ts";
import {
  getNonce,
  getReceipt,
  getTransaction,
  ignoreFailure,
  readBlockHeader,
  requestQuantity,
  requireTransaction,
} from "../../network/ethereum/eth-rpc.ts";
import {
  createLogSearch,
  isTooMuch,
  type LogSearch,
  type MinedLog,
  readWindow,
} from "../../network/ethereum/log-search.ts";
import { findPaymentEvents, requestPaymentLogs } from "../chain/contracts.ts";
import { fold } from "../machine.ts";
import type { Context } from "./context.ts";
import { isOrdered, readMark } from "./match.ts";
import { listKnownAttempts } from "./ongoing-payment.ts";

/** By which transaction an attempt is made: the payer's own, or one of another account that contains its call. */
export interface Located {
  hash: string;
  /** Absent if another account sent it. */
  nonce?: number | undefined;
  /** Number of its block, if it is mined. */
  block?: number | undefined;
}

/** The payer's account before an attempt. */
export interface PayerAccount {
  /** The latest block. */
  fromBlock: number;
  /** The nonce of the payer's next transaction, pending ones included. */
  nextNonce: number;
  /** The order's payment, if the chain has it already. */
  found?: Located | undefined;
}

/** How often the chain is searched if the payer's nonce or the block changes meanwhile. */
const MAX_LOOKS = 4;

/**
 * Reads the payer's nonce at the latest block, and then whether the chain has the order's payment by then: a later one uses
 * the nonce. Then nonces and block again: the chain may have been reorganised during the search.
 *
 * @throws `ORDER_UNCERTAIN`, `PAYER_BUSY`; what {@link Rpc} throws
 */
export function lookUpOrder(context: Context): Promise<PayerAccount> {
  const look = context.payment.orderId === undefined ? readAccount : lookUpNamed;
  // Each look searches all blocks itself: one that failed may have lost what it found in those that it has searched.
  return context.rpc.onOneNode((rpc) => look({ ...context, rpc, events: {} }));
}

async function readAccount({ rpc, sender }: Context): Promise<PayerAccount> {
  const [fromBlock, mined, pending] = await allInOrder([
    requestQuantity(rpc, "eth_blockNumber"),
    getNonce(rpc, sender.address, "latest"),
    getNonce(rpc, sender.address, "pending"),
  ]);
  return { fromBlock: Number(fromBlock), nextNonce: Math.max(mined, pending) };
}

async function lookUpNamed(context: Context): Promise<PayerAccount> {
  const { rpc, sender, waiting, signal } = context;
  for (let tries = 1; ; tries++) {
    const block = await readBlockHeader(rpc, "latest");
    if (!block) throw unreadableResponse("eth_getBlockByNumber");
    // Before the search, not beside it: some nodes only have the state of their latest block, or answer with it whatever
    // they are asked for, and that may be another one by now.
    const atBlock = await getNonce(rpc, sender.address, block.number).catch(ignore("RPC_REFUSED"));
    const nextNonce = atBlock ?? (await getNonce(rpc, sender.address, "latest"));
    const found = await searchPayment(context, block.number);
    if (found) return { fromBlock: block.number, nextNonce, found };
    const [mined, pending, sameBlock] = await allInOrder([
      getNonce(rpc, sender.address, "latest"),
      getNonce(rpc, sender.address, "pending"),
      readBlockHeader(rpc, block.number),
    ]);
    const isChanged = mined !== nextNonce || sameBlock?.hash !== block.hash;
    if (!isChanged) {
      await refuseUnknownTransactions(context, { mined, pending });
      return { fromBlock: block.number, nextNonce: Math.max(mined, pending) };
    }
    if (tries === MAX_LOOKS) throw payerBusy("its transactions change all the time", mined, pending);
    // Nodes behind one URL may lag behind each other.
    await wait(waiting.pollMs, signal);
  }
}

/** The search of this run: so many blocks back, or more if an attempt or the order was made before. */
export function getEventSearch({ events, order, payment, searchBlocks }: Context, latest: number): LogSearch {
  const known = [...fold(payment.entries).map(({ fromBlock }) => fromBlock), order.fromBlock ?? latest];
  // An order may have been renewed: its payment is from before its first block then.
  events.search ??= createLogSearch(
    Math.min(latest - searchBlocks + 1, ...known.map((block) => block - MARGIN_BLOCKS)),
  );
  return events.search;
}

/** A node that refuses this many blocks refuses for another reason. */
const MIN_LOG_BLOCKS = 100;

/**
 * Lists the contract's events of the payer in the blocks that were not searched yet, up to the one that is the latest by
 * the time the node looks, oldest first.
 *
 * @param latest - the latest block, as far as it is known
 * @param deadline - when to stop, by `performance.now()`
 * @throws `PAYMENT_TIMEOUT`; what {@link Rpc} throws, `RPC_REFUSED` if the node does not search logs: what is not
 * searched is not empty
 */
export async function listPayerEvents(
  context: Context,
  search: LogSearch,
  latest: number,
  deadline: number = Number.POSITIVE_INFINITY,
): Promise<MinedLog[]> {
  const { order, rpc, sender, waiting } = context;
  const { contract } = order.network;
  const found: MinedLog[] = [];
  do {
    if (performance.now() >= deadline) {
      throw paymentMissed("PAYMENT_TIMEOUT", { step: "pay", waitMs: waiting.waitMs });
    }
    const logs = await readWindow(search, latest, MIN_LOG_BLOCKS, (fromBlock, last) => {
      const toBlock = last === latest ? "latest" : last;
      return requestPaymentLogs(rpc, contract, sender.address, { fromBlock, toBlock });
    });
    found.push(...logs);
  } while (search.fromBlock <= latest);
  search.fromBlock = Math.max(search.firstBlock, latest + 1 - MARGIN_BLOCKS);
  return found;
}

const PARALLEL_REQUESTS = 5;

/**
 * Finds the payments of the order among events of the payer, by the order's mark: however they were sent, their
 * transactions contain it.
 *
 * @throws `INVALID_OPTION` if a payment in another token or amount has the mark; `ORDER_UNCERTAIN` if a transaction does not
 * show which of its calls paid; what {@link Rpc} throws
 */
export async function findMarked(context: Context, logs: readonly MinedLog[]): Promise<Located[]> {
  const { order, rpc, sender, signal } = context;
  const { mark } = order;
  if (mark === undefined) return [];
  const hashes = new Set(logs.map(({ hash }) => hash));
  const found: Located[] = [];
  const limits = { limit: PARALLEL_REQUESTS, signal };
  for await (const transaction of mapInOrder(hashes, limits, (hash) => requireTransaction(rpc, hash))) {
    if (!transaction.data.toLowerCase().includes(mark)) continue;
    const hash = transaction.hash.toLowerCase();
    const receipt = await getReceipt(rpc, hash);
    if (!receipt) continue;
    const { block } = receipt;
    const shown = readMark(context, transaction, receipt);
    if (shown === "another payment") throw otherOrder();
    if (shown === "one of several") throw orderUncertain(null, [hash]);
    if (shown === "its payment")
      found.push(transaction.from === sender.address ? { hash, block, nonce: transaction.nonce } : { hash, block });
  }
  return found;
}

async function searchPayment(context: Context, latest: number): Promise<Located | undefined> {
  const { order, searchBlocks, payment } = context;
  const { mark } = order;
  if (searchBlocks === 0 || (mark === undefined && order.tokenContract)) return undefined;
  const search = getEventSearch(context, latest);
  const logs = await listPayerEvents(context, search, latest).catch((error: unknown) => {
    if (mark === undefined && payment.entries.length > 0) return ignoreFailure(error);
    if (!isTooMuch(error)) throw error;
    const { firstBlock, fromBlock } = search;
    throw orderUncertain(fromBlock > firstBlock ? { fromBlock: firstBlock, toBlock: fromBlock - 1 } : null, [], error);
  });
  if (mark !== undefined) return (await findMarked(context, logs ?? []))[0];
  // Coins carry no mark: a payment of the same amount that nothing is known of may be the order's.
  await refuseLookAlikes(context, search, logs ?? []);
  return undefined;
}

/** Refuses if a payment in coins that nothing is known of may be the order's. */
async function refuseLookAlikes(context: Context, search: LogSearch, logs: readonly MinedLog[]): Promise<void> {
  const { order } = context;
  const similar = findPaymentEvents(logs, order.network.contract).filter(({ event }) => isOrdered(order, event));
  if (similar.length === 0) return;
  const attempts = await listKnownAttempts(context, { withJournal: true });
  // What another journal of this process has of the same order is no other order's.
  const others = attempts.filter(({ isOwn, orderId }) => isOwn || orderId !== context.payment.orderId);
  const known = new Set(others.map(({ hash }) => hash));
  const unknown = similar.map(({ log }) => log.hash).filter((hash) => !known.has(hash));
  if (unknown.length === 0) return;
  const searched = { fromBlock: search.firstBlock, toBlock: search.fromBlock + MARGIN_BLOCKS - 1 };
  throw orderUncertain(searched, [...new Set(unknown)]);
}

/**
 * Refuses while the payer has pending transactions that may be the order's payment: all but those which the node shows to
 * be another attempt's that is known here. An attempt that was signed for a nonce need not be what has it.
 */
async function refuseUnknownTransactions(context: Context, { mined, pending }: { mined: number; pending: number }) {
  if (pending <= mined) return;
  const attempts = await listKnownAttempts(context, { withJournal: true });
  const hashes = attempts
    .filter(({ end }) => end === undefined)
    .flatMap(({ hash, signed }) => [hash, ...signed.map((variant) => variant.hash)])
    .filter((hash) => hash !== undefined);
  const shown = await allInOrder([...new Set(hashes)].map((hash) => getTransaction(context.rpc, hash)));
  const known = new Set(shown.map((transaction) => transaction?.nonce));
  for (let nonce = mined; nonce < pending; nonce++) {
    if (!known.has(nonce)) {
      const problem = `its transaction ${nonce} is pending, and may be this payment: try again once it is mined`;
      throw payerBusy(problem, mined, pending);
    }
  }
}
