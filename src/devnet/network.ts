import { createApiKeys } from "./auth/api-keys.ts";
import type { Auth } from "./auth/bearers.ts";
import { createJwts } from "./auth/jwts.ts";
import { createMessageBook } from "./auth/messages.ts";
import type { RunningChain } from "./chain/chain.ts";
import { createRpcOf, type RpcOf } from "./conditions/chain-rpc-urls.ts";
import { createLedger, type Ledger } from "./content/ledger.ts";
import { type ContentStore, openContentStore } from "./content/store.ts";
import { createDealBook, type DealBook } from "./deals/deal-book.ts";
import type { Liars } from "./faults/fault-actions.ts";
import { createIpnsBook, type IpnsBook } from "./ipns/ipns-book.ts";
import { createShardStore, type ShardStore } from "./key-nodes/shard-store.ts";
import type { ResolvedOptions } from "./options.ts";

/** How many key nodes there are. */
export const NODE_COUNT = 5;

/** How the messages to sign start on the network. */
const API_HOST_OPENING = "Please prove you are the owner of this wallet by signing this message, nonce=";
const KEY_NODES_OPENING = "Please sign this message to prove you are owner of this account: ";

/** Everything the services know; nothing of it is shared between two devnets. */
export interface Network {
  options: ResolvedOptions;
  auth: Auth;
  content: ContentStore;
  ledger: Ledger;
  deals: DealBook;
  ipns: IpnsBook;
  /** USD for one whole coin, by symbol in upper case. */
  tickers: Map<string, number>;
  /** Where access conditions ask an EVM chain. */
  rpcOf: RpcOf;
  /** One store per key node; node n is at n - 1. They share nothing. */
  shardStores: readonly ShardStore[];
  stoppedNodes: Set<number>;
  /** Requests that a fault told a key node to answer with a lie. */
  liars: Liars;
  /** Where payments are made, if anywhere. */
  chain: RunningChain | undefined;
}

/** Makes a network without users or content beyond what `dataDir` already holds. */
export async function createNetwork(
  options: ResolvedOptions,
  dataDir: string,
  chain: RunningChain | undefined,
): Promise<Network> {
  const content = await openContentStore(dataDir);
  const ledger = createLedger();
  return {
    options,
    auth: {
      messages: createMessageBook(API_HOST_OPENING),
      nodeMessages: createMessageBook(KEY_NODES_OPENING),
      apiKeys: createApiKeys(),
      jwts: createJwts(options.jwtLifetimeSeconds),
    },
    content,
    ledger,
    deals: createDealBook(content, ledger, options),
    ipns: createIpnsBook(),
    tickers: new Map(Object.entries(options.tickers).map(([symbol, price]) => [symbol.toUpperCase(), price])),
    rpcOf: createRpcOf(options.evmRpc, chain?.chain.rpc),
    shardStores: Array.from({ length: NODE_COUNT }, createShardStore),
    stoppedNodes: new Set(),
    liars: new WeakSet(),
    chain,
  };
}

/** Bytes that an account may store: what everyone may, and what it has paid for. */
export async function dataLimitOf({ options, tickers, chain }: Network, address: string): Promise<number> {
  if (!chain) return options.dataLimit;
  return options.dataLimit + (await chain.paidBytes(address, tickers.get(chain.chain.network.symbol) ?? 0));
}
