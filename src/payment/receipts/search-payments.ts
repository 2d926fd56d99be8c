import { type ResolvedNetwork, resolveLiveNetwork } from "../../base/config/resolve-network.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentMissed, unreadableResponse } from "../../base/errors/payment.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type OptionSchema, type Resolved, resolveChanges } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { connectToNodes, readLogIndex, requestQuantity } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { createLogSearch, type LogSearch, readWindow } from "../../network/ethereum/log-search.ts";
import type { RpcPool } from "../../network/ethereum/rpc-pool.ts";
import { requestPaymentLogs } from "../chain/contracts.ts";
import { type NetworkOptions, nodeUrls } from "../options.ts";
import { type PaymentReceipt, readMined, toReceipts } from "./receipt.ts";

/** A search, as far as it is done. */
interface Search extends LogSearch {
  network: ResolvedNetwork;
  /** Lower-case. */
  sender: string;
  toBlock: number;
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
  return runSearch(rpc, { ...createLogSearch(fromBlock), network, sender, toBlock, payments: [] }, reading);
}

async function runSearch(rpc: RpcPool, before: Search, reading: Reading): Promise<PaymentReceipt[]> {
  // What it has found so far may be resumed several times.
  const search = { ...before, payments: [...before.payments] };
  const { network, sender, toBlock, payments } = search;
  try {
    while (search.fromBlock <= toBlock) {
      const found = await readWindow(search, toBlock, 1, (from, to) =>
        rpc.onOneNode((node) => readPayments(node, { network, sender, fromBlock: from, toBlock: to })),
      );
      payments.push(...found);
    }
    return payments;
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    throw new UnfinishedError<PaymentReceipt[], ResumeListOptions>(error.code, error.message, {
      details: { ...error.details, payments: [...payments], fromBlock: search.fromBlock },
      cause: error.cause,
      async resume(changes) {
        const changed = { ...reading, signal: undefined, ...resolveChanges(resumeSchema, changes) };
        return runSearch(connectToNodes(network, changed.rpc, changed), search, changed);
      },
    });
  }
}

/**
 * Reads the payments in all blocks of the search, oldest first. Their logs only show which transactions to read.
 *
 * @throws `INVALID_RESPONSE` if the node does not have the blocks, or shows other logs than receipts,
 * `PAYMENT_REORGANISED`; what {@link Rpc} throws
 */
async function readPayments(
  rpc: Rpc,
  search: Pick<Search, "network" | "sender" | "fromBlock" | "toBlock">,
): Promise<PaymentReceipt[]> {
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
      throw isRemoved ? paymentMissed("PAYMENT_REORGANISED", { step: "pay", hash }) : error;
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
