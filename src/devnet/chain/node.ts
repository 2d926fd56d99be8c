import { Interface } from "ethers";

/** What the compiler made of a contract. */
interface Artifact {
  /** One signature per line of it. */
  abi: readonly string[];
  /** What deploys it, in hex. */
  bytecode: string;
}

/** The devnet's own way to its chain, as an account that needs no signature. */
export interface ChainNode {
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Gives the new contract's address. */
  deploy(artifact: Artifact, args: readonly unknown[]): Promise<string>;
  /** Has a contract do something. */
  transact(artifact: Artifact, to: string, name: string, args: readonly unknown[]): Promise<void>;
  /** The address that deploys, and owns what it deployed. */
  owner: string;
}

/** In the way that chains without a base fee take as well: 5 gwei. */
const GAS_PRICE = "0x12a05f200";

interface Receipt {
  status: string;
  contractAddress: string | null;
}

/** Speaks JSON-RPC to a chain that puts each transaction into a block at once. */
export async function connect(rpc: string): Promise<ChainNode> {
  async function call(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(rpc, { method: "POST", body, headers: { "content-type": "application/json" } });
    const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  const [owner] = (await call("eth_accounts")) as [string];

  /** A block follows each transaction at once, but not before the answer to it. */
  async function receiptOf(hash: unknown): Promise<Receipt> {
    for (;;) {
      const receipt = await call("eth_getTransactionReceipt", [hash]);
      if (receipt !== null) return receipt as Receipt;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async function send(transaction: { to?: string; data: string }): Promise<Receipt> {
    const receipt = await receiptOf(
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
