import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { Transaction } from "ethers";
import { Hono } from "hono";
import { cors } from "hono/cors";

/** A proxy of a node. */
export interface UnkindNode {
  /** URL of its JSON-RPC. */
  rpc: string;
  stop(): Promise<void>;
}

interface Call {
  id: unknown;
  method: string;
  params: readonly unknown[];
}

interface Reply {
  result?: unknown;
  error?: { message: string };
}

/** By how much more a replacement has to pay: the default of geth's `txpool.pricebump`. */
const MIN_BUMP_PERCENT = 10n;

/**
 * Starts a proxy of a node that refuses what geth refuses and anvil accepts: a signed transaction in the place of a
 * pending one that offers less than 10 % more, as fee or as tip. A balance that does not cover a transaction is refused
 * in geth's words.
 */
export async function startUnkindNode(target: string): Promise<UnkindNode> {
  const sent = new Map<string, Transaction>();

  async function forward(call: unknown): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    return (await fetch(target, { method: "POST", body: JSON.stringify(call), headers })).json() as Promise<Reply>;
  }

  /** Neither mined nor dropped. */
  async function isPending({ hash }: Transaction): Promise<boolean> {
    const { result } = await forward({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionByHash", params: [hash] });
    return (result as { blockNumber: unknown } | null)?.blockNumber === null;
  }

  async function respond(call: Call): Promise<unknown> {
    if (call.method !== "eth_sendRawTransaction") return forward(call);
    const refuse = (message: string) => ({ jsonrpc: "2.0", id: call.id, error: { code: -32000, message } });
    const transaction = Transaction.from(String(call.params[0]));
    const place = `${transaction.from} ${transaction.nonce}`;
    const before = sent.get(place);
    const isOther = before !== undefined && before.hash !== transaction.hash;
    if (isOther && !outbids(transaction, before) && (await isPending(before))) {
      return refuse("replacement transaction underpriced");
    }
    const reply = await forward(call);
    if (!reply.error) sent.set(place, transaction);
    const isPoor = /^insufficient funds/i.test(reply.error?.message ?? "");
    return isPoor ? refuse("insufficient funds for gas * price + value") : reply;
  }

  const app = new Hono().use(cors()).post("*", async (context) => {
    const calls = await context.req.json<Call | Call[]>();
    return context.json((await (Array.isArray(calls) ? Promise.all(calls.map(respond)) : respond(calls))) as object);
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { rpc: `http://127.0.0.1:${port}`, stop: () => stop(server) };
}

function outbids(next: Transaction, before: Transaction): boolean {
  const offers = (transaction: Transaction) => [
    transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n,
    transaction.maxPriorityFeePerGas ?? transaction.gasPrice ?? 0n,
  ];
  const [fee = 0n, tip = 0n] = offers(before).map((offer) => offer * (100n + MIN_BUMP_PERCENT));
  const [nextFee = 0n, nextTip = 0n] = offers(next).map((offer) => offer * 100n);
  return nextFee >= fee && nextTip >= tip;
}

function stop(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}
