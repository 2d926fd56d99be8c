import { isKeeplightError } from "../../base/errors/base.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type OptionSchema, type Resolved, resolveChanges } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import type { RpcPool } from "../../network/ethereum/rpc-pool.ts";
import { connectToNodes } from "../chain/connect.ts";
import { requestQuantity } from "../chain/eth-rpc.ts";
import { resolveLiveNetwork } from "../chain/network.ts";
import { type NetworkOptions, nodeUrls } from "../options.ts";
import { readPayments, type Subject } from "./read-payments.ts";
import type { PaymentReceipt } from "./types.ts";

/** How many blocks to request at first: as many as the most generous nodes search at once. */
const FIRST_WINDOW = 10_000;

/** Errors of a node that may search fewer blocks. */
const TOO_MUCH: ReadonlySet<string> = new Set(["RPC_REFUSED", "RESPONSE_TOO_LARGE", "TIMEOUT", "HTTP_STATUS"]);

/** Statuses of a node that is too busy for any request. */
const TOO_BUSY: ReadonlySet<unknown> = new Set([429, 503]);

/** A search, as far as it is done. */
interface Search {
  subject: Subject;
  /** The first block that is still to be searched. */
  fromBlock: number;
  /** The last one of the search. */
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

/**
 * Implements `listPayments`.
 *
 * @throws what `listPayments` throws
 */
export async function searchPayments(
  wanted: { sender: string; network: NetworkOptions["network"]; fromBlock: number; lastBlock: number },
  reading: Reading,
): Promise<PaymentReceipt[]> {
  const { sender, fromBlock, lastBlock } = wanted;
  const subject = { network: resolveLiveNetwork(wanted.network), sender };
  const rpc = connectToNodes(subject.network, reading.rpc, reading);
  const toBlock = Math.min(lastBlock, Number(await requestQuantity(rpc, "eth_blockNumber")));
  return runSearch(rpc, { subject, fromBlock, toBlock, window: FIRST_WINDOW, payments: [] }, reading);
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
        return runSearch(connectToNodes(search.subject.network, changed.rpc, changed), current, changed);
      },
    });
  }
}

/** Searches the next blocks, or makes the window smaller if that is too much for the node. */
async function searchWindow(rpc: RpcPool, search: Search): Promise<Search> {
  const { subject, fromBlock, window } = search;
  const toBlock = Math.min(fromBlock + window - 1, search.toBlock);
  try {
    const found = await rpc.onOneNode((node) => readPayments(node, subject, { fromBlock, toBlock }));
    return { ...search, fromBlock: toBlock + 1, payments: [...search.payments, ...found] };
  } catch (error) {
    if (toBlock === fromBlock || !isTooMuch(error)) throw error;
    return { ...search, window: Math.ceil((toBlock - fromBlock + 1) / 2) };
  }
}

function isTooMuch(error: unknown): boolean {
  if (!isKeeplightError(error) || !TOO_MUCH.has(error.code)) return false;
  const { method, status } = error.details;
  return method === "eth_getLogs" && !TOO_BUSY.has(status);
}
