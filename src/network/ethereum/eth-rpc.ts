import { isKeeplightError } from "../../base/errors/base.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import { createHttpRpc, parseQuantity, type Rpc, type RpcLimits } from "./json-rpc.ts";
import { createRpcPool, type RpcPool } from "./rpc-pool.ts";

/** The nodes of a chain. */
export interface Nodes {
  rpc: string;
  moreRpcs?: readonly string[] | undefined;
  chainId: number;
}

/**
 * Connects to these nodes instead of the network's, if there are any.
 *
 * @throws `INVALID_OPTION` for an invalid URL
 */
export function connectToNodes(network: Nodes, urls: readonly string[] | undefined, limits: RpcLimits): RpcPool {
  const { rpc, moreRpcs = [], chainId } = network;
  const nodes = (urls ?? [rpc, ...moreRpcs]).map((url) => createHttpRpc(url, limits, false));
  return createRpcPool(nodes, chainId, limits.signal);
}

export interface Log {
  address: string;
  topics: string[];
  data: string;
  /** Index in its block; a quantity. */
  logIndex?: unknown;
  /** Which transaction and block it is of. Some nodes leave this out. */
  transactionHash?: unknown;
  blockHash?: unknown;
  /** Whether a reorganisation removed it. */
  removed?: unknown;
}

export interface Receipt {
  hash: string;
  block: number;
  /** Of the block; empty if the node does not name it. */
  blockHash: string;
  succeeded: boolean;
  /** The cost of the transaction in the chain's own coin, without the value it sent. */
  fee: bigint;
  logs: Log[];
}

export interface ChainTransaction {
  hash: string;
  /** Lower-case. */
  from: string;
  /** Lower-case; empty for a contract creation. */
  to: string;
  nonce: number;
  data: string;
  value: bigint;
}

export interface Call {
  from?: string;
  to: string;
  data: string;
  value?: bigint;
}

/** For `.catch`, where nodes without old state, or wallets, need not respond: `undefined`, unless the call was aborted. */
export function ignoreFailure(error: unknown): undefined {
  if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
}

export function toHex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

export async function requestQuantity(rpc: Rpc, method: string, params: readonly unknown[] = []): Promise<bigint> {
  return parseQuantity(method, await rpc(method, params));
}

/** The next nonce of `address`: how many of its transactions are mined by a block or, with `pending`, known to the node. */
export async function getNonce(rpc: Rpc, address: string, at: "latest" | "pending" | number): Promise<number> {
  const tag = typeof at === "number" ? toHex(at) : at;
  return Number(await requestQuantity(rpc, "eth_getTransactionCount", [address, tag]));
}

export async function hasCode(rpc: Rpc, address: string): Promise<boolean> {
  const code = await rpc("eth_getCode", [address, "latest"]);
  return typeof code === "string" && code.length > 2;
}

/** Simulates a call; returns the error by which it fails, `undefined` if it succeeds. */
export async function findRefusal(rpc: Rpc, call: Call, tag: string = "latest"): Promise<unknown> {
  try {
    await rpc("eth_call", [toCallFields(call), tag]);
    return undefined;
  } catch (error) {
    return error;
  }
}

export function toCallFields({ from, to, data, value }: Call): Record<string, string> {
  return { ...(from === undefined ? {} : { from }), to, data, ...(value ? { value: toHex(value) } : {}) };
}

/**
 * Reads the receipt of a mined transaction; `undefined` as long as the node does not know its block or its outcome.
 *
 * @throws `INVALID_RESPONSE` for the receipt of another transaction, or one with logs of another; what {@link Rpc} throws
 */
export async function getReceipt(rpc: Rpc, hash: string): Promise<Receipt | undefined> {
  const method = "eth_getTransactionReceipt";
  const fields = await requestByHash(rpc, method, hash, "transactionHash");
  if (!fields) return undefined;
  const logs = Array.isArray(fields["logs"]) ? fields["logs"].filter(isLog) : [];
  if (!logs.every((log) => isOfReceipt(log, fields))) throw unreadableResponse(method);
  const succeeded = readStatus(method, fields["status"], logs);
  // A node may return a receipt before it knows the block.
  if (typeof fields["blockNumber"] !== "string" || succeeded === undefined) return undefined;
  const gasFee = readFee(method, fields["gasUsed"]) * readFee(method, fields["effectiveGasPrice"]);
  return {
    hash,
    block: Number(parseQuantity(method, fields["blockNumber"])),
    blockHash: String(fields["blockHash"] ?? "").toLowerCase(),
    succeeded,
    // OP Stack chains charge for L1 data on top of the gas.
    fee: gasFee + readFee(method, fields["l1Fee"]),
    logs,
  };
}

function isOfReceipt({ removed, ...log }: Log, receipt: Fields): boolean {
  const isSame = (name: "transactionHash" | "blockHash"): boolean =>
    log[name] === undefined || String(log[name]).toLowerCase() === String(receipt[name]).toLowerCase();
  return removed !== true && isSame("transactionHash") && isSame("blockHash");
}

/** Without a status only events prove the outcome: a reverted transaction has none. */
function readStatus(method: string, status: unknown, logs: readonly Log[]): boolean | undefined {
  if (status !== undefined && status !== null) return parseQuantity(method, status) === 1n;
  return logs.length > 0 ? true : undefined;
}

/** Some nodes leave out what a transaction cost. */
function readFee(method: string, value: unknown): bigint {
  return value === undefined || value === null ? 0n : parseQuantity(method, value);
}

/** Throws `INVALID_RESPONSE` for an object that has another hash in its field `name`. */
async function requestByHash(rpc: Rpc, method: string, hash: string, name: string): Promise<Fields | undefined> {
  const fields = await requestRecord(rpc, method, [hash]);
  if (fields && String(fields[name]).toLowerCase() !== hash.toLowerCase()) throw unreadableResponse(method);
  return fields;
}

export async function getTransaction(rpc: Rpc, hash: string): Promise<ChainTransaction | undefined> {
  const method = "eth_getTransactionByHash";
  const fields = await requestByHash(rpc, method, hash, "hash");
  return fields && readTransaction(method, fields);
}

/** Reads a transaction that is mined; throws `INVALID_RESPONSE` if the node does not have it. */
export async function requireTransaction(rpc: Rpc, hash: string): Promise<ChainTransaction> {
  const transaction = await getTransaction(rpc, hash);
  if (!transaction) throw unreadableResponse("eth_getTransactionByHash");
  return transaction;
}

/** Reads the number of the latest block that the chain cannot undo; `undefined` if the node does not know. */
export async function readFinalBlock(rpc: Rpc): Promise<number | undefined> {
  const method = "eth_getBlockByNumber";
  // A malformed block is no node that does not say.
  const fields = await requestRecord(rpc, method, ["finalized", false]).catch(ignoreFailure);
  return fields && Number(parseQuantity(method, fields["number"]));
}

/** Reads what identifies a block; `undefined` if the node does not have it. */
export async function readBlockHeader(rpc: Rpc, block: number | "latest") {
  const method = "eth_getBlockByNumber";
  const fields = await requestRecord(rpc, method, [typeof block === "number" ? toHex(block) : block, false]);
  if (!fields) return undefined;
  const { number, hash, timestamp } = fields;
  return {
    number: Number(parseQuantity(method, number)),
    hash: String(hash).toLowerCase(),
    timestamp: Number(parseQuantity(method, timestamp)),
  };
}

/** Index of a log in its block. */
export function readLogIndex({ logIndex }: Log): number {
  return Number(parseQuantity("eth_getTransactionReceipt", logIndex));
}

/** Lists the transactions that `sender` (lower-case) has in a block; `undefined` if there is no such block. */
export async function getBlockTransactions(
  rpc: Rpc,
  block: number,
  sender: string,
): Promise<ChainTransaction[] | undefined> {
  const method = "eth_getBlockByNumber";
  const fields = await requestRecord(rpc, method, [toHex(block), true]);
  if (!fields) return undefined;
  const list: unknown[] = Array.isArray(fields["transactions"]) ? fields["transactions"] : [];
  return list.flatMap((item) => {
    const transaction = toRecord(method, item);
    const isOwn = String(transaction?.["from"]).toLowerCase() === sender;
    return transaction && isOwn ? [readTransaction(method, transaction)] : [];
  });
}

function readTransaction(method: string, fields: Fields): ChainTransaction {
  const { hash, from, to, input } = fields;
  if (typeof hash !== "string" || typeof from !== "string") throw unreadableResponse(method);
  return {
    hash,
    from: from.toLowerCase(),
    to: typeof to === "string" ? to.toLowerCase() : "",
    nonce: Number(parseQuantity(method, fields["nonce"])),
    data: typeof input === "string" ? input : "0x",
    value: parseQuantity(method, fields["value"]),
  };
}

type Fields = Readonly<Record<string, unknown>>;

export async function requestRecord(rpc: Rpc, method: string, params: readonly unknown[]): Promise<Fields | undefined> {
  return toRecord(method, await rpc(method, params));
}

/** `undefined` for null; throws `INVALID_RESPONSE` for anything that is not an object. */
function toRecord(method: string, value: unknown): Fields | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") throw unreadableResponse(method);
  return value as Fields;
}

export function isLog(value: unknown): value is Log {
  const log = value as Partial<Log> | null;
  return typeof log?.address === "string" && Array.isArray(log.topics) && typeof log.data === "string";
}
