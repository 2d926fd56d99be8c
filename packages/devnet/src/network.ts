import { normalizeAddress } from "./accounts.ts";
import { type AttackBook, createAttackBook } from "./attack-book.ts";
import type { RunningChain } from "./chain/chain.ts";
import { createRpcUrlFinder } from "./conditions/evaluate-access.ts";
import { hideDeleted } from "./content/hide-deleted.ts";
import { createLedger } from "./content/ledger.ts";
import { openContentStore } from "./content/store.ts";
import { createAuth } from "./credentials.ts";
import { createDealBook } from "./deals.ts";
import type { ForgedRequests } from "./fault-actions.ts";
import { createIpnsBook } from "./ipns.ts";
import { createShardStore, NODE_COUNT, type ShardStore } from "./key-nodes/shard-store.ts";
import type { ResolvedOptions } from "./options.ts";

export type Network = Awaited<ReturnType<typeof createNetwork>>;

/**
 * Creates the shared state of the services, without users, and with only the content in `dataDir`. No two devnets share
 * any of it.
 *
 * @param chain - for payments, if there is one
 */
export async function createNetwork(options: ResolvedOptions, dataDir: string, chain: RunningChain | undefined) {
  const store = await openContentStore(dataDir);
  const ledger = createLedger();
  const content = options.unkind ? { ...store, read: hideDeleted(store.read, ledger) } : store;
  const attacks = createAttackBook(options.attacks);
  return {
    options,
    auth: createAuth(options.jwtLifetimeSeconds),
    content,
    ledger,
    deals: createDealBook(content, ledger, options),
    ipns: createIpnsBook(),
    /** USD per whole coin, by symbol in upper case. */
    tickers: new Map(Object.entries(options.tickers).map(([symbol, price]) => [symbol.toUpperCase(), price])),
    /** Finds the chains that access conditions read. */
    findRpcUrl: createRpcUrlFinder(options.evmRpc, chain?.chain.rpc),
    /** One independent store per key node; node n is at n - 1. */
    shardStores: Array.from({ length: NODE_COUNT }, (_, index) =>
      createHostileStore(createShardStore(), index + 1, attacks),
    ),
    attacks,
    stoppedNodes: new Set<number>(),
    /** Requests that a key node responds to with a forged shard, because of a fault. */
    forgedRequests: new WeakSet() as ForgedRequests,
    chain,
  };
}

/** Computes the bytes that an account may store: the limit of every account, plus what it has paid for. */
export async function getDataLimit({ options, tickers, chain }: Network, address: string): Promise<number> {
  if (!chain) return options.dataLimit;
  return options.dataLimit + (await chain.computePaidBytes(address, tickers.get(chain.chain.network.symbol) ?? 0));
}

/** Wraps the store of a node that may be attacking: then another address owns a file, or a change is dropped. */
function createHostileStore(store: ShardStore, node: number, attacks: AttackBook): ShardStore {
  return {
    get(cid) {
      const stored = store.get(cid);
      const seizure = attacks.find("seize", { cid, node });
      return stored && seizure ? { ...stored, owner: normalizeAddress(seizure.owner) ?? stored.owner } : stored;
    },
    set(cid, stored) {
      if (!attacks.find("ignore-changes", { cid, node })) store.set(cid, stored);
    },
    getDelegates: store.getDelegates,
    setDelegates(owner, delegates) {
      if (!attacks.find("ignore-changes", { node })) store.setDelegates(owner, delegates);
    },
  };
}
