import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentReorganised, unreadableResponse } from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { readLogIndex, requestQuantity } from "../chain/eth-rpc.ts";
import { findPaymentEvents } from "../chain/events.ts";
import type { ResolvedNetwork } from "../chain/network.ts";
import { type MinedLog, requestPaymentLogs } from "../chain/payment-logs.ts";
import { type Mined, readMined } from "./read-mined.ts";
import { toReceipts } from "./to-receipt.ts";
import type { PaymentReceipt } from "./types.ts";

/** Whose payments to read. */
export interface Subject {
  network: ResolvedNetwork;
  /** Lower-case. */
  sender: string;
}

/** Blocks from the first to the last. */
interface BlockRange {
  fromBlock: number;
  toBlock: number;
}

/**
 * Reads the payments in these blocks, oldest first. Their logs only show which transactions to read.
 *
 * @throws `INVALID_RESPONSE` if the node does not have the blocks, or shows other logs than receipts,
 * `PAYMENT_REORGANISED`; what {@link Rpc} throws
 */
export async function readPayments(rpc: Rpc, subject: Subject, range: BlockRange): Promise<PaymentReceipt[]> {
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  // A node that lags behind has no logs of later blocks, and does not say so.
  if (latest < range.toBlock) throw unreadableResponse("eth_blockNumber");
  const logs = await requestLogs(rpc, subject, range);
  const payments: PaymentReceipt[] = [];
  logs.sort((one, other) => readLogIndex(one) - readLogIndex(other));
  for (const hash of new Set(logs.map((log) => log.hash))) {
    const receipts = toReceipts(subject.network, await readLogged(rpc, hash));
    const ofSender = receipts.filter(({ sender }) => sender === subject.sender);
    const listed = logs.filter((log) => log.hash === hash && log.block === ofSender[0]?.block);
    if (listed.length !== ofSender.length) throw unreadableResponse("eth_getLogs");
    // Nothing arrived: the token refused, or no amount was requested.
    payments.push(...ofSender.filter(({ amount }) => amount !== "0"));
  }
  return payments.sort((one, other) => one.block - other.block);
}

/** Reads a transaction that has logs: if it is not mined any more, a reorganisation has removed it. */
async function readLogged(rpc: Rpc, hash: string): Promise<Mined> {
  try {
    return await readMined(rpc, hash, 1);
  } catch (error) {
    const isRemoved = isKeeplightError(error) && error.code.startsWith("PAYMENT_");
    throw isRemoved ? paymentReorganised({ step: "pay", hash }) : error;
  }
}

async function requestLogs(rpc: Rpc, { network, sender }: Subject, range: BlockRange): Promise<MinedLog[]> {
  const { contract } = network;
  const logs = await requestPaymentLogs(rpc, { contract, addresses: [sender], ...range });
  return logs.filter(({ block, ...log }) => {
    const [found] = findPaymentEvents([log], contract);
    return found?.event.sender === sender && block >= range.fromBlock && block <= range.toBlock;
  });
}
