import { Contract, hexlify, Interface, id, JsonRpcProvider, randomBytes, Wallet, zeroPadValue } from "ethers";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { postRpc } from "../../packages/devnet/src/http/json.ts";
import { type Devnet, type DevnetChain, startDevnet } from "../../packages/devnet/src/index.ts";
import type { PaymentNetwork, PaymentToken, StableToken } from "../../src/base/config/networks.ts";
import type { PaymentProgress } from "../../src/payment/index.ts";

const erc20 = new Interface([
  "function mint(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
]);

const ownable = new Interface(["function owner() view returns (address)"]);

/** Access to the chain without the code under test. */
export interface TestChain {
  devnet: Devnet;
  chain: DevnetChain;
  network: PaymentNetwork;
  rpc<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
  /** The owner of the payment contract, for whom the node signs. */
  owner(): Promise<string>;
  /** A new wallet with coins and a million of each token, or of one only. */
  payer(only?: PaymentToken): Promise<Payer>;
  /** Balance of an address. */
  balance(token: StableToken | "native", address: string): Promise<bigint>;
  allowance(token: StableToken, owner: string): Promise<bigint>;
  /** How many payments the contract received from an address. */
  paid(address: string): Promise<number>;
  /** A row with this token as `usdc`. */
  withToken(address: string): PaymentNetwork;
}

export interface Payer {
  /** Lower-case. */
  address: string;
  privateKey: string;
  /** Connected to the chain. */
  wallet: Wallet;
}

/** Starts a devnet with a chain for all tests of a file. */
export function chainForTests(options: { hardfork?: string } = {}): () => TestChain {
  let tools: TestChain | undefined;
  beforeAll(async () => {
    const devnet = await startDevnet({ chain: options, unkind: true });
    tools = createTools(devnet);
  });
  afterAll(() => tools?.devnet.close());
  return () => {
    if (!tools) throw new Error("the chain is there only while tests run");
    return tools;
  };
}

function createTools(devnet: Devnet): TestChain {
  const { chain } = devnet;
  if (!chain) throw new Error("the devnet has no chain");
  const { network } = chain;

  async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = await postRpc(chain?.rpc ?? "", { jsonrpc: "2.0", id: 1, method, params });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  const getTokenAddress = (token: StableToken): string => network.tokens[token]?.address ?? "";
  const read = async (to: string, name: string, args: unknown[]): Promise<bigint> =>
    BigInt(await rpc<string>("eth_call", { to, data: erc20.encodeFunctionData(name, args) }, "latest"));

  async function findOwner(): Promise<string> {
    const call = { to: network.contract, data: ownable.encodeFunctionData("owner") };
    const [owner] = ownable.decodeFunctionResult("owner", await rpc<string>("eth_call", call, "latest"));
    return String(owner);
  }

  return {
    devnet,
    chain,
    network,
    rpc,
    owner: findOwner,
    async payer(only) {
      // Not Wallet.createRandom(): deriving a mnemonic for each of a thousand payers is slow.
      const privateKey = hexlify(randomBytes(32));
      const provider = new JsonRpcProvider(chain.rpc, chain.chainId, { staticNetwork: true, cacheTimeout: -1 });
      onTestFinished(() => provider.destroy());
      const wallet = new Wallet(privateKey, provider);
      await rpc("anvil_setBalance", wallet.address, `0x${(1000n * 10n ** 18n).toString(16)}`);
      const owner = await findOwner();
      const faulty = Object.values(chain.faultyTokens).map((address: string) => ({ address, decimals: 6 }));
      const rows = Object.entries(network.tokens);
      const tokens = only
        ? rows.filter(([token]) => token === only).map(([, row]) => row)
        : [...rows.map(([, row]) => row), ...faulty];
      const hashes: string[] = [];
      for (const { address, decimals } of tokens) {
        const data = erc20.encodeFunctionData("mint", [wallet.address, 10n ** BigInt(decimals + 6)]);
        hashes.push(await rpc("eth_sendTransaction", { from: owner, to: address, data, gasPrice: "0x12a05f200" }));
      }
      for (const hash of hashes) await waitUntilMined({ rpc }, hash);
      return { address: wallet.address.toLowerCase(), privateKey, wallet };
    },
    balance: async (token, address) =>
      token === "native"
        ? BigInt(await rpc<string>("eth_getBalance", address, "latest"))
        : read(getTokenAddress(token), "balanceOf", [address]),
    allowance: (token, owner) => read(getTokenAddress(token), "allowance", [owner, network.contract]),
    async paid(address) {
      const topics = [id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)"), zeroPadValue(address, 32)];
      return (await rpc<unknown[]>("eth_getLogs", { address: network.contract, topics, fromBlock: "0x0" })).length;
    },
    withToken: (address) => ({ ...network, tokens: { usdc: { address, decimals: 6 } } }),
  };
}

/** Waits until a transaction is in a block. */
export async function waitUntilMined({ rpc }: Pick<TestChain, "rpc">, hash: unknown): Promise<void> {
  while (!(await rpc("eth_getTransactionReceipt", hash))) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Approves, and waits for the transaction. */
export async function approve({ network }: TestChain, payer: Payer, token: StableToken, amount: bigint): Promise<void> {
  const contract = new Contract(network.tokens[token]?.address ?? "", erc20, payer.wallet);
  await (await contract.getFunction("approve")(network.contract, amount)).wait();
}

/** Approves through the node itself, which has to impersonate the payer. */
export async function approveDirectly(tools: TestChain, payer: Payer, token: StableToken, amount: bigint) {
  const { rpc, network } = tools;
  const data = erc20.encodeFunctionData("approve", [network.contract, amount]);
  const fields = { from: payer.address, to: network.tokens[token]?.address, data };
  await waitUntilMined(tools, await rpc("eth_sendTransaction", fields));
}

/** A row with another node. */
export function withRpc(network: PaymentNetwork, rpc: string): PaymentNetwork {
  return { ...network, rpc };
}

/** Captures the hash of a step's transaction when it is sent. */
export function captureHash(step: string) {
  let report: (hash: string) => void = () => undefined;
  const hash = new Promise<string>((resolve) => {
    report = resolve;
  });
  const onProgress = (progress: PaymentProgress) => {
    if (progress.phase === step && progress.state === "sent") report(progress.hash ?? "");
  };
  return { hash, onProgress };
}
