import { Wallet } from "ethers";
import { inject } from "vitest";
import type { Eip1193Provider } from "../src/index.ts";

const { accounts, network } = inject("devnet");

/** Calls the JSON-RPC of the devnet's chain. */
export async function requestChain(method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(network.rpc, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string; code: number } };
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}

/** A wallet in this page, with a user whose decisions a test controls. */
export interface PageWallet {
  provider: Eip1193Provider;
  /** How many transactions it was requested to send. */
  countRequests(): number;
  /** How many transactions of its account the chain has. Other tests pay on the same chain, by other accounts. */
  countMined(): Promise<number>;
  /** Rejects transactions from now on, with the error of a wallet. */
  refuse(): void;
  /** Accepts transactions from now on. */
  allow(): void;
  /** Leaves transactions pending until the returned function is called. */
  holdRequests(): () => void;
}

/** The wallet of a funded account, or of one of the devnet's own, backed by its chain. It accepts by default. */
export function createPageWallet(account: number | string): PageWallet {
  const wallet = new Wallet(typeof account === "number" ? (accounts[account]?.privateKey ?? "") : account);
  let refuses = false;
  let requests = 0;
  let decided = Promise.resolve();

  async function send({ to, data, value }: Record<string, string>): Promise<unknown> {
    requests++;
    await decided;
    if (refuses) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
    const call = { from: wallet.address, to: to ?? "", data: data ?? "0x", value: value ?? "0x0" };
    const [nonce, gasPrice, gasLimit] = (await Promise.all([
      requestChain("eth_getTransactionCount", wallet.address, "pending"),
      requestChain("eth_gasPrice"),
      requestChain("eth_estimateGas", call),
    ])) as [string, string, string];
    const { from: _, ...fields } = call;
    const { chain_id: chainId } = network;
    const raw = await wallet.signTransaction({ ...fields, type: 0, chainId, nonce: Number(nonce), gasPrice, gasLimit });
    return requestChain("eth_sendRawTransaction", raw);
  }

  return {
    provider: {
      request: async ({ method, params = [] }) => {
        if (method === "eth_requestAccounts" || method === "eth_accounts") return [wallet.address];
        if (method === "eth_sendTransaction") return send(params[0] as Record<string, string>);
        return requestChain(method, ...params);
      },
    },
    countRequests: () => requests,
    countMined: async () => Number(await requestChain("eth_getTransactionCount", wallet.address, "latest")),
    refuse: () => {
      refuses = true;
    },
    allow: () => {
      refuses = false;
    },
    holdRequests() {
      let decide: () => void = () => undefined;
      decided = new Promise((resolve) => {
        decide = resolve;
      });
      return () => decide();
    },
  };
}
