import { wait } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/queue.ts";
import { ignore } from "../../base/errors/base.ts";
import { orderUncertain, payerBusy, unreadableResponse } from "../../base/errors/payment.ts";
import {
  getNonce,
  getTransaction,
  ignoreFailure,
  readBlockHeader,
  requestQuantity,
} from "../../network/ethereum/eth-rpc.ts";
import { findPaymentEvents, isTooMuch, type MinedLog } from "../chain/contracts.ts";
import { fold } from "../machine.ts";
import type { Context, EventSearch } from "./context.ts";
import { createEventSearch, findMarked, type Located, listPayerEvents, MARGIN_BLOCKS } from "./find-transaction.ts";
import { isOrdered } from "./match.ts";
import { listKnownAttempts } from "./ongoing-payment.ts";

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
  return context.rpc.onOneNode((rpc) => look({ ...context, rpc }));
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
    // Some nodes only have the state of their latest block, which may be another one by now.
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
export function getEventSearch({ events, order, payment, searchBlocks }: Context, latest: number): EventSearch {
  const known = [...fold(payment.entries).map(({ fromBlock }) => fromBlock), order.fromBlock ?? latest];
  // An order may have been renewed: its payment is from before its first block then.
  events.search ??= createEventSearch(
    Math.min(latest - searchBlocks + 1, ...known.map((block) => block - MARGIN_BLOCKS)),
  );
  return events.search;
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
async function refuseLookAlikes(context: Context, search: EventSearch, logs: readonly MinedLog[]): Promise<void> {
  const { order } = context;
  const similar = findPaymentEvents(logs, order.network.contract).filter(({ event }) => isOrdered(order, event));
  if (similar.length === 0) return;
  const attempts = await listKnownAttempts(context, { withJournal: true });
  // What another journal of this process has of the same order is no other order's.
  const others = attempts.filter(({ isOwn, orderId }) => isOwn || orderId !== context.payment.orderId);
  const known = new Set(others.map(({ hash }) => hash));
  const unknown = similar.map(({ position }) => logs[position]?.hash ?? "").filter((hash) => !known.has(hash));
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
