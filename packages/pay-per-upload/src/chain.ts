import { connectToNodes, type getReceipt, type Rpc } from "keeplight/parts";
import { type Call, SHORT_TIMEOUT_MS } from "./call.ts";
import { ignoreAnyFailure, unreadable } from "./errors.ts";
import type { UploadNetwork } from "./options.ts";
import { isHash } from "./terms.ts";

/** Selectors and topics of ERC-20 and EIP-3009. */
const AUTHORIZATION_STATE = "0xe94a0102";
const BALANCE_OF = "0x70a08231";
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const BLOCK = "eth_getBlockByNumber";

/** As many blocks as public nodes search at once: on Base, five hours. */
const SEARCHED_BLOCKS = 10_000;

type Nodes = ReturnType<typeof connectToNodes>;
type Log = NonNullable<Awaited<ReturnType<typeof getReceipt>>>["logs"][number];

/** Connects to the nodes of a chain. */
export function connectTo(network: UploadNetwork, { signal, timeoutMs }: Pick<Call, "signal" | "timeoutMs">): Nodes {
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
  rpc: Nodes,
  { usdc }: UploadNetwork,
  { payer, nonce }: { payer: string; nonce: string },
): Promise<PayerState> {
  return rpc.onOneNode(async (node) => {
    const read = (data: string) => readQuantity(node, "eth_call", [{ to: usdc, data }, "latest"]);
    const [used, balance, block] = await Promise.all([
      read(`${AUTHORIZATION_STATE}${pad(payer)}${pad(nonce)}`),
      read(`${BALANCE_OF}${pad(payer)}`),
      node(BLOCK, ["latest", false]),
    ]);
    const { timestamp } = Object(block);
    const now = block === null ? 0 : Number(parseQuantity(BLOCK, timestamp));
    return { isUsed: used !== 0n, balance, now };
  });
}

/** What an authorization transferred. */
export interface Transfer {
  payTo: string;
  /** In the token's smallest unit, a decimal string. */
  amount: string;
}

/** Finds the transaction that used a nonce in the latest blocks; `undefined` if a node does not show it. */
export async function findTransfer(
  rpc: Nodes,
  { usdc }: UploadNetwork,
  { payer, nonce }: { payer: string; nonce: string },
): Promise<string | undefined> {
  return rpc
    .onOneNode(async (node) => {
      const latest = await readQuantity(node, "eth_blockNumber");
      const from = latest > SEARCHED_BLOCKS ? latest - BigInt(SEARCHED_BLOCKS) : 0n;
      const topics = [AUTHORIZATION_USED, `0x${pad(payer)}`, nonce];
      const range = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${latest.toString(16)}` };
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

async function readQuantity(rpc: Rpc, method: string, params: readonly unknown[] = []): Promise<bigint> {
  return parseQuantity(method, await rpc(method, params));
}

/** Throws `INVALID_RESPONSE`, after which another node is asked. */
function parseQuantity(method: string, value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value);
  throw unreadable(method);
}

function isLog(value: unknown): value is Log {
  const { address, topics, data } = Object(value) as Partial<Log>;
  return typeof address === "string" && Array.isArray(topics) && typeof data === "string";
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
