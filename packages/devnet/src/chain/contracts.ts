import { Interface, zeroPadValue } from "ethers";
import type { PaymentNetwork } from "keeplight";
import { postRpc } from "../http/json.ts";
import eip3009Token from "./artifacts/eip3009-token.json" with { type: "json" };
import feeToken from "./artifacts/fee-token.json" with { type: "json" };
import noTransferToken from "./artifacts/no-transfer-token.json" with { type: "json" };
import paymentContract from "./artifacts/payment-contract.json" with { type: "json" };
import plainToken from "./artifacts/plain-token.json" with { type: "json" };
import refusingToken from "./artifacts/refusing-token.json" with { type: "json" };
import usdtLikeToken from "./artifacts/usdt-like-token.json" with { type: "json" };

/** Addresses of faulty tokens. The payment contract accepts them, and they have 6 decimals. */
export interface FaultyTokens {
  /** Deducts a fee of one percent from each transfer. */
  feeTaking: string;
  /** `transferFrom` returns success and transfers nothing. */
  noTransfer: string;
  /** The same, and emits a `Transfer` event. */
  noTransferWithEvent: string;
  /** `transferFrom` returns `false`. */
  refusing: string;
}

/** The deployed contracts. */
export interface Contracts {
  contract: string;
  tokens: Required<PaymentNetwork["tokens"]>;
  faultyTokens: FaultyTokens;
}

/** A compiled contract. Types of JSON files would be imported by those who import the types of this package. */
export interface CompiledContract {
  /** Human-readable: one signature per entry. */
  abi: readonly string[];
  /** Creation code, in hex. */
  bytecode: string;
}

/** The interface by which every token is minted. */
export const mintable: CompiledContract = plainToken;

/**
 * Deploys the payment contract and its tokens: `usdc` like Circle's, with signed transfers, `usdt` like Tether's, `dai`
 * plain, and faulty ones.
 */
export async function deployContracts(node: ChainNode): Promise<Contracts> {
  const contract = await node.deploy(paymentContract, [node.owner, node.owner]);
  const tokens = {
    usdc: { address: await node.deploy(eip3009Token, []), decimals: 6 },
    usdt: { address: await node.deploy(usdtLikeToken, [6]), decimals: 6 },
    dai: { address: await node.deploy(plainToken, ["DAI", 18]), decimals: 18 },
  };
  const faultyTokens = {
    feeTaking: await node.deploy(feeToken, []),
    noTransfer: await node.deploy(noTransferToken, [false]),
    noTransferWithEvent: await node.deploy(noTransferToken, [true]),
    refusing: await node.deploy(refusingToken, []),
  };
  const addresses = [...Object.values(tokens).map(({ address }) => address), ...Object.values(faultyTokens)];
  for (const address of addresses) await node.transact(paymentContract, contract, "updateERC20Token", [address, true]);
  return { contract, tokens, faultyTokens };
}

/** Bytes of storage per US dollar. */
const BYTES_PER_USD = 2n ** 28n;

/** Steps per US dollar in the price of the native coin. */
const PRICE_STEPS = 1_000_000;

const contract = new Interface((paymentContract as CompiledContract).abi);

/**
 * Computes the bytes of storage that an address has paid for from the payment contract's events. The price of a size is
 * rounded to a whole unit of the token; a payment buys the largest size with that price.
 *
 * @param address - EVM address
 * @param usdPerCoin - of the native coin
 */
export async function computePaidBytes(node: ChainNode, network: PaymentNetwork, address: string, usdPerCoin: number) {
  const topics = [contract.getEvent("ReceivedPayment")?.topicHash, zeroPadValue(address, 32)];
  const logs = await node.call("eth_getLogs", [{ address: network.contract, topics, fromBlock: "0x0" }]);
  const tokens = Object.values(network.tokens);
  let bytes = 0n;
  for (const log of logs as { topics: string[]; data: string }[]) {
    const [, tokenAddress, , amount] = contract.parseLog(log)?.args ?? [];
    const token = tokens.find((known) => known.address.toLowerCase() === String(tokenAddress).toLowerCase());
    const isCoin = /^0x0+$/.test(String(tokenAddress));
    if (token) bytes += toBytes(BigInt(amount), token.decimals, 1n, 1n);
    const price = BigInt(Math.round(usdPerCoin * PRICE_STEPS));
    if (isCoin) bytes += toBytes(BigInt(amount), network.decimals, price, BigInt(PRICE_STEPS));
  }
  return Number(bytes);
}

/** Computes the bytes that `amount` units buy at `usd / per` dollars per whole coin. */
function toBytes(amount: bigint, decimals: number, usd: bigint, per: bigint): bigint {
  return ((2n * amount + 1n) * BYTES_PER_USD * usd) / (2n * per * 10n ** BigInt(decimals));
}

export type ChainNode = Awaited<ReturnType<typeof connect>>;

/** 5 gwei, as a legacy gas price, which chains without a base fee accept too. */
const GAS_PRICE = "0x12a05f200";

interface Receipt {
  status: string;
  transactionHash: string;
  contractAddress: string | null;
}

/**
 * Connects by JSON-RPC to a chain that mines each transaction immediately. Sends from an account that requires no
 * signature, which deploys the contracts and owns them.
 */
export async function connect(rpc: string) {
  async function call(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const reply = await postRpc(rpc, { jsonrpc: "2.0", id: 1, method, params });
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  }

  // the first ones are those of the devnet's users, where these are fixed
  const owner = ((await call("eth_accounts")) as string[]).at(-1) ?? "";

  /** The block of a transaction may follow the response to it. */
  async function waitForReceipt(hash: unknown): Promise<Receipt> {
    for (;;) {
      const receipt = await call("eth_getTransactionReceipt", [hash]);
      if (receipt !== null) return receipt as Receipt;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async function submit(transaction: { to?: string; data: string; gas?: string }): Promise<Receipt> {
    return waitForReceipt(await call("eth_sendTransaction", [{ from: owner, gasPrice: GAS_PRICE, ...transaction }]));
  }

  async function send(transaction: { to?: string; data: string }): Promise<Receipt> {
    const receipt = await submit(transaction);
    if (receipt.status !== "0x1") throw new Error("the devnet's own transaction was reverted");
    return receipt;
  }

  return {
    call,
    owner,
    /** Sends a transaction, and returns its receipt, also if it was reverted. */
    submit,
    /** Returns the new contract's address. */
    async deploy({ abi, bytecode }: CompiledContract, args: readonly unknown[]): Promise<string> {
      const { contractAddress } = await send({ data: bytecode + new Interface(abi).encodeDeploy(args).slice(2) });
      return contractAddress ?? "";
    },
    /** Calls a contract in a transaction. */
    async transact({ abi }: CompiledContract, to: string, name: string, args: readonly unknown[]): Promise<void> {
      await send({ to, data: new Interface(abi).encodeFunctionData(name, args) });
    },
  };
}
