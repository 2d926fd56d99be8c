import { allInOrder } from "../../base/async/all-in-order.ts";
import {
  paymentNotFound,
  paymentReorganised,
  paymentReverted,
  paymentUnconfirmed,
  unreadableResponse,
} from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { getReceipt, getTransaction, type Receipt, readBlockHeader, requestQuantity } from "../chain/eth-rpc.ts";

/** A mined transaction that succeeded. */
export interface Mined {
  receipt: Receipt;
  /** Of its block, in seconds since 1970. */
  timestamp: number;
  /** How many blocks confirm it, its own included. */
  confirmations: number;
}

/**
 * Reads a transaction that enough blocks confirm: fewer may revert it, or its failure.
 *
 * @param needed - how many, its own included
 * @throws `PAYMENT_NOT_FOUND`, `PAYMENT_UNCONFIRMED`, `PAYMENT_REVERTED`, `PAYMENT_REORGANISED`; what {@link Rpc} throws
 */
export async function readMined(rpc: Rpc, hash: string, needed: number): Promise<Mined> {
  const facts = { step: "pay", hash };
  const receipt = await getReceipt(rpc, hash);
  if (!receipt) throw (await getTransaction(rpc, hash)) ? paymentUnconfirmed(hash, 0, needed) : paymentNotFound(hash);
  if (!/^0x[0-9a-f]{64}$/.test(receipt.blockHash)) throw unreadableResponse("eth_getTransactionReceipt");
  const [latest, header] = await allInOrder([
    requestQuantity(rpc, "eth_blockNumber"),
    readBlockHeader(rpc, receipt.block),
  ]);
  if (header && header.hash !== receipt.blockHash) throw paymentReorganised(facts);
  const confirmations = header ? Math.max(Number(latest) - receipt.block + 1, 0) : 0;
  if (!header || confirmations < needed) throw paymentUnconfirmed(hash, confirmations, needed);
  if (!receipt.succeeded) throw paymentReverted(facts, { reason: "it failed when it was mined" });
  return { receipt, timestamp: header.timestamp, confirmations };
}
