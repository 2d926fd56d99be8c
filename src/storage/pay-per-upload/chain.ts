import { SHORT_TIMEOUT_MS } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import type { ResolvedCall } from "../../base/options.ts";
import {
  connectToNodes,
  isLog,
  type Log,
  readBlockHeader,
  requestQuantity,
  toHex,
} from "../../network/ethereum/eth-rpc.ts";
import type { RpcPool } from "../../network/ethereum/rpc-pool.ts";
import type { UploadNetwork } from "./options.ts";
import { isHash } from "./terms.ts";

/** Selectors and topics of ERC-20 and EIP-3009. */
const AUTHORIZATION_STATE = "0xe94a0102";
const BALANCE_OF = "0x70a08231";
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** As many blocks as public nodes search at once: on Base, five hours. */
const SEARCHED_BLOCKS = 10_000;

/** Connects to the nodes of a chain. */
export function connectTo(network: UploadNetwork, { signal, timeoutMs }: Pick<ResolvedCall, "signal" | "timeoutMs">) {
  return connectToNodes(network, undefined, { signal, timeoutMs: Math.min(timeoutMs, SHORT_TIMEOUT_MS) });
}

/** What a chain shows of a payer, at one time. */
export interface PayerState {
  /** Whether an authorization with the nonce was carried out. */
  isUsed: boolean;
  /** In the token's smallest unit. */
  balance: bigint;
  /** Time of the latest block, in seconds since 1970. */
  now: number;
}

/** @throws what a node's refusal throws: it may have no such token */
export async function readPayer(
  rpc: RpcPool,
  { usdc }: UploadNetwork,
  { payer, nonce }: { payer: string; nonce: string },
): Promise<PayerState> {
  return rpc.onOneNode(async (node) => {
    const read = (data: string) => requestQuantity(node, "eth_call", [{ to: usdc, data }, "latest"]);
    const [used, balance, block] = await Promise.all([
      read(`${AUTHORIZATION_STATE}${pad(payer)}${pad(nonce)}`),
      read(`${BALANCE_OF}${pad(payer)}`),
      readBlockHeader(node, "latest"),
    ]);
    return { isUsed: used !== 0n, balance, now: block?.timestamp ?? 0 };
  });
}

/** What an authorization transferred. */
export interface Transfer {
  payTo: string;
  /** In the token's smallest unit, a decimal string. */
  amount: string;
}

/** For `.catch`, where a node that fails, or sends nonsense, shows nothing. Throws `ABORTED`. */
export function ignoreAnyFailure(error: unknown): undefined {
  if (isKeeplightError(error, "ABORTED")) throw error;
}

/** Finds the transaction that used a nonce in the latest blocks; `undefined` if a node does not show it. */
export async function findTransfer(
  rpc: RpcPool,
  { usdc }: UploadNetwork,
  { payer, nonce }: { payer: string; nonce: string },
): Promise<string | undefined> {
  return rpc
    .onOneNode(async (node) => {
      const latest = await requestQuantity(node, "eth_blockNumber");
      const from = latest > SEARCHED_BLOCKS ? latest - BigInt(SEARCHED_BLOCKS) : 0n;
      const topics = [AUTHORIZATION_USED, `0x${pad(payer)}`, nonce];
      const range = { fromBlock: toHex(from), toBlock: toHex(latest) };
      const logs = await node("eth_getLogs", [{ address: usdc, topics, ...range }]);
      const [log] = Array.isArray(logs) ? logs.filter(isLog) : [];
      const isOwn = log && isUse(log, usdc, payer, nonce) && isHash(log.transactionHash);
      return isOwn ? String(log.transactionHash).toLowerCase() : undefined;
    })
    .catch(ignoreAnyFailure);
}

/** Finds the transfer by an authorization among the logs of a transaction. */
export function readTransfer(
  logs: readonly Log[],
  { usdc }: UploadNetwork,
  { payer, nonce }: { payer: string; nonce: string },
): Transfer | undefined {
  const used = logs.findIndex((log) => isUse(log, usdc, payer, nonce));
  if (used < 0) return undefined;
  // USDC marks the nonce as used, then transfers.
  const transfer = logs[used + 1];
  if (!transfer || !isTransfer(transfer, usdc, payer)) return undefined;
  const { topics, data } = transfer;
  return { payTo: `0x${topics[2]?.slice(26)}`.toLowerCase(), amount: String(BigInt(data)) };
}

function isUse({ address, topics }: Log, usdc: string, payer: string, nonce: string): boolean {
  const [topic, by, used] = topics;
  return isAt(address, usdc) && topic === AUTHORIZATION_USED && by === `0x${pad(payer)}` && used === nonce;
}

function isTransfer({ address, topics, data }: Log, usdc: string, payer: string): boolean {
  const [topic, from, to] = topics;
  return isAt(address, usdc) && topic === TRANSFER && from === `0x${pad(payer)}` && isHash(to) && isHash(data);
}

function isAt(address: string, usdc: string): boolean {
  return address.toLowerCase() === usdc.toLowerCase();
}

function pad(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(64, "0");
}
