import type { PaymentNetwork } from "keeplight";
import type { Account } from "../accounts.ts";
import type { ListenAddress } from "../host.ts";
import { type AnvilOptions, startAnvil, startUnkindNode } from "./anvil.ts";
import {
  type ChainNode,
  type Contracts,
  computePaidBytes,
  connect,
  deployContracts,
  type FaultyTokens,
  mintable,
} from "./contracts.ts";
import { createSignedTransfers } from "./signed-transfers.ts";

/** One of the devnet's wallets, with its initial balances in smallest units. */
export interface FundedAccount extends Account {
  /** Balances by token; `native` is the chain's own coin. */
  balances: {
    /** Balance of the chain's own coin. */
    native: bigint;
    /** Balance of USDC. */
    usdc: bigint;
    /** Balance of USDT. */
    usdt: bigint;
    /** Balance of DAI. */
    dai: bigint;
  };
}

/** The devnet's chain. */
export interface DevnetChain {
  /** URL of its JSON-RPC. */
  rpc: string;
  /** 31337. */
  chainId: number;
  /** To be passed as `network`. */
  network: PaymentNetwork;
  /** To be passed as `network` of `payPerUpload`. */
  uploadNetwork: {
    /** 31337. */
    chainId: number;
    /** URL of its JSON-RPC. */
    rpc: string;
    /** Address of USDC, whose transfers may be signed (EIP-3009). */
    usdc: string;
  };
  /** The devnet's wallets. */
  accounts: readonly FundedAccount[];
  /** For a custom network: `{ ...network, tokens: { usdc: { address, decimals: 6 } } }`. */
  faultyTokens: FaultyTokens;
}

export type RunningChain = Awaited<ReturnType<typeof startChain>>;

export const CHAIN_ID = 31_337;
const SYMBOL = "ETH";

/** Each wallet's initial whole coins and tokens. */
const COINS = 1_000n;
const TOKENS = 1_000_000n;

/** Where only this process connects to. */
const HIDDEN: ListenAddress = { host: "127.0.0.1", publicHost: "127.0.0.1", port: 0 };

/**
 * Starts an EVM node, deploys the payment contract and its tokens, and funds the wallets.
 *
 * @param unkind - refuse what geth refuses and anvil accepts
 * @throws DevnetError `UNSUPPORTED` if anvil is missing, `INVALID_OPTION` if the port is taken.
 */
export async function startChain(
  options: AnvilOptions,
  accounts: readonly Account[],
  unkind: boolean,
  address: ListenAddress,
) {
  const anvil = await startAnvil(options, CHAIN_ID, unkind ? HIDDEN : address);
  let stop = anvil.stop;
  try {
    const node = await connect(anvil.rpc);
    const contracts = await deployContracts(node);
    const { contract, tokens, faultyTokens } = contracts;
    const proxy = unkind ? await startUnkindNode(anvil.rpc, address) : undefined;
    if (proxy) stop = async () => void (await Promise.all([proxy.stop(), anvil.stop()]));
    const { publicRpc: rpc } = proxy ?? anvil;
    const network = { symbol: SYMBOL, decimals: 18, rpc, scan: "", chain_id: CHAIN_ID, contract, tokens };
    const funded: FundedAccount[] = [];
    for (const account of accounts) funded.push({ ...account, balances: await fund(node, contracts, account.address) });
    const uploadNetwork = { chainId: CHAIN_ID, rpc, usdc: tokens.usdc.address };
    const chain: DevnetChain = { rpc, chainId: CHAIN_ID, network, uploadNetwork, accounts: funded, faultyTokens };
    return {
      chain,
      /** URL of the node for this process. */
      rpc: anvil.rpc,
      /** Signed transfers of USDC. */
      transfers: createSignedTransfers(node, tokens.usdc.address, CHAIN_ID),
      /** Returns the bytes of storage that an address has paid for; `usdPerCoin` is the price of the native coin. */
      computePaidBytes: async (address: string, usdPerCoin: number) =>
        address.startsWith("0x") ? computePaidBytes(node, network, address, usdPerCoin) : 0,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fund(node: ChainNode, { tokens, faultyTokens }: Contracts, address: string) {
  const native = COINS * 10n ** 18n;
  await node.call("anvil_setBalance", [address, `0x${native.toString(16)}`]);
  const mint = async (token: { address: string; decimals: number }): Promise<bigint> => {
    const units = TOKENS * 10n ** BigInt(token.decimals);
    await node.transact(mintable, token.address, "mint", [address, units]);
    return units;
  };
  const [usdc, usdt, dai] = [await mint(tokens.usdc), await mint(tokens.usdt), await mint(tokens.dai)];
  for (const token of Object.values(faultyTokens)) await mint({ address: token, decimals: 6 });
  return { native, usdc, usdt, dai };
}
