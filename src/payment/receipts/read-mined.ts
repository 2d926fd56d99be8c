import { paymentNotFound, paymentReorganised, paymentReverted, paymentUnconfirmed } from "../../errors/payment.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
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
 * Reads a transaction that enough blocks confirm.
 *
 * @param needed - how many, its own included
 * @throws `PAYMENT_NOT_FOUND`, `PAYMENT_UNCONFIRMED`, `PAYMENT_REVERTED`, `PAYMENT_REORGANISED`; what {@link Rpc} throws
 */
export async function readMined(rpc: Rpc, hash: string, needed: number): Promise<Mined> {
  const facts = { step: "pay", hash };
  const receipt = await getReceipt(rpc, hash);
  if (!receipt) throw (await getTransaction(rpc, hash)) ? paymentUnconfirmed(hash, 0, needed) : paymentNotFound(hash);
  if (!receipt.succeeded) throw paymentReverted(facts, { reason: "it failed when it was mined" });
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  const header = await readBlockHeader(rpc, receipt.block);
  if (header && header.hash !== receipt.blockHash) throw paymentReorganised(facts);
  const confirmations = header ? latest - receipt.block + 1 : 0;
  if (!header || confirmations < needed) throw paymentUnconfirmed(hash, Math.max(confirmations, 0), needed);
  return { receipt, timestamp: header.timestamp, confirmations };
}
