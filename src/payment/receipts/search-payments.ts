import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentReorganised, unreadableResponse } from "../../base/errors/payment.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type OptionSchema, type Resolved, resolveChanges } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { connectToNodes, readLogIndex, requestQuantity } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import type { RpcPool } from "../../network/ethereum/rpc-pool.ts";
import { isTooMuch, requestPaymentLogs } from "../chain/contracts.ts";
import { type ResolvedNetwork, resolveLiveNetwork } from "../chain/network.ts";
import { type NetworkOptions, nodeUrls } from "../options.ts";
import { type PaymentReceipt, readMined, toReceipts } from "./receipt.ts";

/** How many blocks to request at first: as many as the most generous nodes search at once. */
const FIRST_WINDOW = 10_000;

/** A search, as far as it is done. */
interface Search {
  network: ResolvedNetwork;
  /** Lower-case. */
  sender: string;
  /** The first block that is still to be searched. */
  fromBlock: number;
  toBlock: number;
  /** How many blocks to request at once. */
  window: number;
  payments: PaymentReceipt[];
}

/** What may change when a list of payments is resumed. */
export type ResumeListOptions = Pick<CallOptions, "signal" | "timeoutMs"> & {
  /** URL of another node to use, or of several. @default the one of the call */
  rpc?: string | readonly string[] | undefined;
};

/** A list of payments that is not complete. `details.payments` are those found before the block `details.fromBlock`. */
export type UnfinishedPaymentList = UnfinishedError<PaymentReceipt[], ResumeListOptions>;

const resumeSchema = {
  signal: callSchema.signal,
  timeoutMs: callSchema.timeoutMs,
  rpc: nodeUrls,
} satisfies OptionSchema<ResumeListOptions>;

type Reading = Resolved<typeof resumeSchema>;

/** Implements `listPayments`. */
export async function searchPayments(
  {
    sender,
    fromBlock,
    lastBlock,
    ...named
  }: Pick<Search, "sender" | "fromBlock"> & NetworkOptions & { lastBlock: number },
  reading: Reading,
): Promise<PaymentReceipt[]> {
  const network = resolveLiveNetwork(named.network);
  const rpc = connectToNodes(network, reading.rpc, reading);
  const toBlock = Math.min(lastBlock, Number(await requestQuantity(rpc, "eth_blockNumber")));
  return runSearch(rpc, { network, sender, fromBlock, toBlock, window: FIRST_WINDOW, payments: [] }, reading);
}

async function runSearch(rpc: RpcPool, search: Search, reading: Reading): Promise<PaymentReceipt[]> {
  let current = search;
  try {
    while (current.fromBlock <= current.toBlock) current = await searchWindow(rpc, current);
    return current.payments;
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    const { payments, fromBlock } = current;
    throw new UnfinishedError<PaymentReceipt[], ResumeListOptions>(error.code, error.message, {
      details: { ...error.details, payments: [...payments], fromBlock },
      cause: error.cause,
      async resume(changes) {
        const changed = { ...reading, signal: undefined, ...resolveChanges(resumeSchema, changes) };
        return runSearch(connectToNodes(search.network, changed.rpc, changed), current, changed);
      },
    });
  }
}

/** Searches the next blocks, or makes the window smaller if that is too much for the node. */
async function searchWindow(rpc: RpcPool, search: Search): Promise<Search> {
  const { fromBlock, window } = search;
  const toBlock = Math.min(fromBlock + window - 1, search.toBlock);
  try {
    const found = await rpc.onOneNode((node) => readPayments(node, { ...search, toBlock }));
    return { ...search, fromBlock: toBlock + 1, payments: [...search.payments, ...found] };
  } catch (error) {
    if (toBlock === fromBlock || !isTooMuch(error)) throw error;
    return { ...search, window: Math.ceil((toBlock - fromBlock + 1) / 2) };
  }
}

/**
 * Reads the payments in all blocks of the search, oldest first. Their logs only show which transactions to read.
 *
 * @throws `INVALID_RESPONSE` if the node does not have the blocks, or shows other logs than receipts,
 * `PAYMENT_REORGANISED`; what {@link Rpc} throws
 */
async function readPayments(rpc: Rpc, search: Search): Promise<PaymentReceipt[]> {
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  // A node that lags behind has no logs of later blocks, and does not say so.
  if (latest < search.toBlock) throw unreadableResponse("eth_blockNumber");
  const logs = await requestPaymentLogs(rpc, search.network.contract, search.sender, search);
  const payments: PaymentReceipt[] = [];
  logs.sort((one, other) => readLogIndex(one) - readLogIndex(other));
  for (const hash of new Set(logs.map((log) => log.hash))) {
    const mined = await readMined(rpc, hash, 1).catch((error: unknown) => {
      // If it is not mined any more, a reorganisation has removed it.
      const isRemoved = isKeeplightError(error) && error.code.startsWith("PAYMENT_");
      throw isRemoved ? paymentReorganised({ step: "pay", hash }) : error;
    });
    const receipts = toReceipts(search.network, mined);
    const ofSender = receipts.filter(({ sender }) => sender === search.sender);
    const listed = logs.filter((log) => log.hash === hash && log.block === ofSender[0]?.block);
    if (listed.length !== ofSender.length) throw unreadableResponse("eth_getLogs");
    // Nothing arrived: the token refused, or no amount was requested.
    payments.push(...ofSender.filter(({ amount }) => amount !== "0"));
  }
  return payments.sort((one, other) => one.block - other.block);
}
