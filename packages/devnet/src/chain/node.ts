import { Interface } from "ethers";

/** A compiled contract. */
interface Artifact {
  /** Human-readable: one signature per entry. */
  abi: readonly string[];
  /** Creation code, in hex. */
  bytecode: string;
}

/** The devnet's client of its chain; sends from an account that requires no signature. */
export interface ChainNode {
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Returns the new contract's address. */
  deploy(artifact: Artifact, args: readonly unknown[]): Promise<string>;
  /** Calls a contract in a transaction. */
  transact(artifact: Artifact, to: string, name: string, args: readonly unknown[]): Promise<void>;
  /** The address that deploys the contracts and owns them. */
  owner: string;
}

/** 5 gwei, as a legacy gas price, which chains without a base fee accept too. */
const GAS_PRICE = "0x12a05f200";

interface Receipt {
  status: string;
  contractAddress: string | null;
}

/** Connects by JSON-RPC to a chain that mines each transaction immediately. */
export async function connect(rpc: string): Promise<ChainNode> {
  async function call(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(rpc, { method: "POST", body, headers: { "content-type": "application/json" } });
    const reply = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  }

  const [owner] = (await call("eth_accounts")) as [string];

  /** The block of a transaction may follow the response to it. */
  async function waitForReceipt(hash: unknown): Promise<Receipt> {
    for (;;) {
      const receipt = await call("eth_getTransactionReceipt", [hash]);
      if (receipt !== null) return receipt as Receipt;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async function send(transaction: { to?: string; data: string }): Promise<Receipt> {
    const receipt = await waitForReceipt(
      await call("eth_sendTransaction", [{ from: owner, gasPrice: GAS_PRICE, ...transaction }]),
    );
    if (receipt.status !== "0x1") throw new Error("the devnet's own transaction was reverted");
    return receipt;
  }

  return {
    call,
    owner,
    async deploy({ abi, bytecode }, args) {
      const { contractAddress } = await send({ data: bytecode + new Interface(abi).encodeDeploy(args).slice(2) });
      return contractAddress ?? "";
    },
    async transact({ abi }, to, name, args) {
      await send({ to, data: new Interface(abi).encodeFunctionData(name, args) });
    },
  };
}
