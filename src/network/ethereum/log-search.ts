import { isKeeplightError } from "../../base/errors/base.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import { isLog, type Log, toHex } from "./eth-rpc.ts";
import type { Rpc } from "./json-rpc.ts";

/** A search through logs of blocks, and its progress. */
export interface LogSearch {
  readonly firstBlock: number;
  /** The first block that is still to be searched. */
  fromBlock: number;
  /** How many blocks a node may be requested at once. */
  window: number;
}

/** How many blocks are requested at first: as many as the most generous nodes search at once. */
const FIRST_WINDOW = 10_000;

export function createLogSearch(block: number): LogSearch {
  const firstBlock = Math.max(0, block);
  return { firstBlock, fromBlock: firstBlock, window: FIRST_WINDOW };
}

/**
 * Reads the next blocks of a search; of a node for which they are too many, none, and the next time fewer.
 *
 * @param last - the last block to search
 * @param least - a node that refuses as few blocks refuses for another reason
 */
export async function readWindow<T>(
  search: LogSearch,
  last: number,
  least: number,
  read: (fromBlock: number, toBlock: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const { fromBlock, window } = search;
  const toBlock = Math.min(fromBlock + window - 1, last);
  try {
    const found = await read(fromBlock, toBlock);
    search.fromBlock = toBlock + 1;
    return found;
  } catch (error) {
    const blocks = toBlock - fromBlock + 1;
    if (blocks <= least || !isTooMuch(error)) throw error;
    search.window = Math.ceil(blocks / 2);
    return [];
  }
}

/** Errors of a node that may search fewer blocks. */
const TOO_MUCH: ReadonlySet<string> = new Set(["RPC_REFUSED", "RESPONSE_TOO_LARGE", "TIMEOUT", "HTTP_STATUS"]);

/** Statuses of a node that is too busy for any request. */
const TOO_BUSY: ReadonlySet<unknown> = new Set([429, 503]);

/** Whether a search for logs failed in a way that one of fewer blocks may not. */
export function isTooMuch(error: unknown): boolean {
  if (!isKeeplightError(error) || !TOO_MUCH.has(error.code)) return false;
  const { method, status } = error.details;
  return method === "eth_getLogs" && !TOO_BUSY.has(status);
}

export type MinedLog = Log & { hash: string; block: number };

/**
 * Lists the logs that match a filter in a range of blocks, oldest first. Leaves out what a node returns of other blocks.
 *
 * @throws `INVALID_RESPONSE` for anything but a list; what {@link Rpc} throws
 */
export async function requestLogs(
  rpc: Rpc,
  filter: { address: string; topics?: readonly unknown[] },
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number | "latest" },
): Promise<MinedLog[]> {
  const method = "eth_getLogs";
  const range = { fromBlock: toHex(fromBlock), toBlock: toBlock === "latest" ? toBlock : toHex(toBlock) };
  const logs = await rpc(method, [{ ...filter, ...range }]);
  if (!Array.isArray(logs)) throw unreadableResponse(method);
  const lastBlock = toBlock === "latest" ? Number.POSITIVE_INFINITY : toBlock;
  return logs.flatMap(toMinedLog).filter(({ block }) => block >= fromBlock && block <= lastBlock);
}

function toMinedLog(value: unknown): MinedLog[] {
  const { transactionHash, blockNumber, removed } = Object(value) as Record<string, unknown>;
  if (!isLog(value) || removed === true || typeof transactionHash !== "string" || typeof blockNumber !== "string")
    return [];
  return [{ ...value, hash: transactionHash.toLowerCase(), block: Number(blockNumber) }];
}
