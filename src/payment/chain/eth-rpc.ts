import type { Interface } from "ethers/abi";
import { unreadableResponse } from "../../errors/payment.ts";
import { isRevert, type Rpc } from "./rpc.ts";

/** A log of a receipt. */
export interface Log {
  address: string;
  topics: string[];
  data: string;
}

/** A transaction that is in a block. */
export interface Receipt {
  hash: string;
  block: number;
  succeeded: boolean;
  /** What the transaction cost in the chain's own coin, the amount sent not counted. */
  fee: bigint;
  logs: Log[];
}

/** A transaction as a node tells it. */
export interface ChainTransaction {
  hash: string;
  /** Lower-case. */
  from: string;
  /** Lower-case; empty for one that makes a contract. */
  to: string;
  nonce: number;
  data: string;
  value: bigint;
}

/** What a call is about: from whom to what, with what. */
export interface Call {
  from?: string;
  to: string;
  data: string;
  value?: bigint;
}

export function toHex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** A quantity that `method` answered; throws `INVALID_RESPONSE` for anything else. */
export function quantity(method: string, value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw unreadableResponse(method);
}

/** A quantity that a node answers without parameters, or about one address. */
export async function ask(rpc: Rpc, method: string, params: readonly unknown[] = []): Promise<bigint> {
  return quantity(method, await rpc(method, params));
}

/** How many transactions of `address` are in the chain, or with `pending` known at all: the nonce of its next one. */
export async function getNonce(rpc: Rpc, address: string, tag: "latest" | "pending"): Promise<number> {
  return Number(await ask(rpc, "eth_getTransactionCount", [address, tag]));
}

export async function hasCode(rpc: Rpc, address: string): Promise<boolean> {
  const code = await rpc("eth_getCode", [address, "latest"]);
  return typeof code === "string" && code.length > 2;
}

/**
 * What a view of a contract gives, or `undefined` where the contract has no such view.
 *
 * @param tag - the block to ask about. Default the latest
 */
export async function callView(
  rpc: Rpc,
  contract: Interface,
  to: string,
  [name, ...args]: [name: string, ...args: unknown[]],
  tag: string = "latest",
): Promise<unknown> {
  const answer = await rpc("eth_call", [{ to, data: contract.encodeFunctionData(name, args) }, tag]).catch(
    (error: unknown) => {
      if (isRevert(error)) return undefined;
      throw error;
    },
  );
  return decoded(contract, name, answer);
}

/** The one value of an answer to a call, or `undefined` where it is not one. */
export function decoded(contract: Interface, name: string, answer: unknown): unknown {
  if (typeof answer !== "string" || !/^0x[0-9a-fA-F]{64,}$/.test(answer)) return undefined;
  try {
    return contract.decodeFunctionResult(name, answer)[0];
  } catch {
    return undefined;
  }
}

/** A call's fields as JSON-RPC wants them. */
export function callFields({ from, to, data, value }: Call): Record<string, string> {
  return { ...(from === undefined ? {} : { from }), to, data, ...(value ? { value: toHex(value) } : {}) };
}

export async function getReceipt(rpc: Rpc, hash: string): Promise<Receipt | undefined> {
  const method = "eth_getTransactionReceipt";
  const fields = record(method, await rpc(method, [hash]));
  // A node may name a transaction's receipt before its block.
  if (!fields || typeof fields["blockNumber"] !== "string") return undefined;
  const gasUsed = quantity(method, fields["gasUsed"]);
  const price = fields["effectiveGasPrice"] === undefined ? 0n : quantity(method, fields["effectiveGasPrice"]);
  // Chains that settle on another one take what that costs too.
  const l1Fee = typeof fields["l1Fee"] === "string" ? quantity(method, fields["l1Fee"]) : 0n;
  return {
    hash,
    block: Number(quantity(method, fields["blockNumber"])),
    succeeded: quantity(method, fields["status"]) === 1n,
    fee: gasUsed * price + l1Fee,
    logs: Array.isArray(fields["logs"]) ? fields["logs"].filter(isLog) : [],
  };
}

export async function getTransaction(rpc: Rpc, hash: string): Promise<ChainTransaction | undefined> {
  const method = "eth_getTransactionByHash";
  const fields = record(method, await rpc(method, [hash]));
  return fields && readTransaction(method, fields);
}

/** The transactions of a block that `sender` (lower-case) sent, or `undefined` if there is no such block. */
export async function getBlockTransactions(
  rpc: Rpc,
  block: number,
  sender: string,
): Promise<ChainTransaction[] | undefined> {
  const method = "eth_getBlockByNumber";
  const fields = record(method, await rpc(method, [toHex(block), true]));
  if (!fields) return undefined;
  const list: unknown[] = Array.isArray(fields["transactions"]) ? fields["transactions"] : [];
  const fromSender = list.flatMap((item) => {
    const transaction = record(method, item);
    return transaction && String(transaction["from"]).toLowerCase() === sender ? [transaction] : [];
  });
  return fromSender.map((transaction) => readTransaction(method, transaction));
}

function readTransaction(method: string, fields: Record<string, unknown>): ChainTransaction {
  const { hash, from, to, input } = fields;
  if (typeof hash !== "string" || typeof from !== "string") throw unreadableResponse(method);
  return {
    hash,
    from: from.toLowerCase(),
    to: typeof to === "string" ? to.toLowerCase() : "",
    nonce: Number(quantity(method, fields["nonce"])),
    data: typeof input === "string" ? input : "0x",
    value: quantity(method, fields["value"]),
  };
}

export function record(method: string, value: unknown): Record<string, unknown> | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") throw unreadableResponse(method);
  return value as Record<string, unknown>;
}

function isLog(value: unknown): value is Log {
  const log = value as Partial<Log> | null;
  return typeof log?.address === "string" && Array.isArray(log.topics) && typeof log.data === "string";
}
