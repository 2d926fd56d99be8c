import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import type { RpcPool } from "../../ethereum/rpc-pool.ts";
import { callOptionNames, resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { wholeNumber } from "../../validation/number.ts";
import { requestQuantity } from "../chain/eth-rpc.ts";
import { resolveLiveNetwork } from "../chain/network.ts";
import { checkPayerAddress } from "../chain/payer-address.ts";
import { createReadingRpc } from "../chain/reading-rpc.ts";
import { networkOptionNames } from "../price-options.ts";
import { readPayments, type Subject } from "./read-payments.ts";
import type { ListPaymentsOptions, PaymentReceipt, ResumeListOptions } from "./types.ts";

const optionNames = [callOptionNames, networkOptionNames, "fromBlock,toBlock,rpc"] as const;

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

/**
 * Implements `listPayments`.
 *
 * @throws what `listPayments` throws
 */
export async function searchPayments(address: string, options: ListPaymentsOptions): Promise<PaymentReceipt[]> {
  const requested = checkOptions(options, optionNames);
  const network = resolveLiveNetwork(requested.network);
  const subject = { network, sender: checkPayerAddress(address) };
  if (requested.fromBlock === undefined) throw invalidOption("fromBlock", "the number of a block");
  const fromBlock = wholeNumber("fromBlock", requested.fromBlock, 0);
  const lastBlock = wholeNumber("toBlock", requested.toBlock, Number.POSITIVE_INFINITY, fromBlock);
  const rpc = createReadingRpc(requested.rpc, network, resolveCall(requested));
  const toBlock = Math.min(lastBlock, Number(await requestQuantity(rpc, "eth_blockNumber")));
  return runSearch(rpc, { subject, fromBlock, toBlock, window: FIRST_WINDOW, payments: [] }, requested);
}

async function runSearch(rpc: RpcPool, search: Search, options: ResumeListOptions): Promise<PaymentReceipt[]> {
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
      resume: (changes) => resumeSearch(current, options, changes),
    });
  }
}

async function resumeSearch(search: Search, options: ResumeListOptions, changes: ResumeListOptions) {
  const { signal, timeoutMs = options.timeoutMs, rpc = options.rpc } = checkOptions(changes, "signal,timeoutMs,rpc");
  const changed = { signal, timeoutMs, rpc };
  return runSearch(createReadingRpc(rpc, search.subject.network, resolveCall(changed)), search, changed);
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
