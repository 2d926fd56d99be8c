import { Wallet } from "ethers";
import { inject } from "vitest";
import type { Eip1193Provider } from "../../src/react/index.ts";

const { accounts, network } = inject("devnet");

/** Asks the devnet's chain. */
export async function askChain(method: string, ...params: unknown[]): Promise<unknown> {
  const answer = await fetch(network.rpc, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string; code: number } };
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}

/** A wallet in this page whose user takes their time. */
export interface PageWallet {
  provider: Eip1193Provider;
  /** How many transactions it was asked for. */
  asked(): number;
  /** Says no to transactions from now on, as a wallet words it. */
  refuse(): void;
  /** Says yes to transactions from now on. */
  allow(): void;
  /** Answers transactions only when the function that comes back is called. */
  hesitate(): () => void;
}

/** The wallet of one of the devnet's funded accounts, backed by its chain. It says yes until it is told otherwise. */
export function pageWallet(at: number): PageWallet {
  const wallet = new Wallet(accounts[at]?.privateKey ?? "");
  let refuses = false;
  let asked = 0;
  let decided = Promise.resolve();

  async function send({ to, data, value }: Record<string, string>): Promise<unknown> {
    asked++;
    await decided;
    if (refuses) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
    const call = { from: wallet.address, to: to ?? "", data: data ?? "0x", value: value ?? "0x0" };
    const [nonce, gasPrice, gasLimit] = (await Promise.all([
      askChain("eth_getTransactionCount", wallet.address, "pending"),
      askChain("eth_gasPrice"),
      askChain("eth_estimateGas", call),
    ])) as [string, string, string];
    const { from: _, ...fields } = call;
    const { chainId } = network;
    const raw = await wallet.signTransaction({ ...fields, type: 0, chainId, nonce: Number(nonce), gasPrice, gasLimit });
    return askChain("eth_sendRawTransaction", raw);
  }

  return {
    provider: {
      request: async ({ method, params = [] }) => {
        if (method === "eth_requestAccounts" || method === "eth_accounts") return [wallet.address];
        if (method === "eth_sendTransaction") return send(params[0] as Record<string, string>);
        return askChain(method, ...params);
      },
    },
    asked: () => asked,
    refuse: () => {
      refuses = true;
    },
    allow: () => {
      refuses = false;
    },
    hesitate() {
      let decide: () => void = () => undefined;
      decided = new Promise((resolve) => {
        decide = resolve;
      });
      return () => decide();
    },
  };
}
