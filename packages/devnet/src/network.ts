import { normalizeAddress } from "./accounts.ts";
import { type AttackBook, createAttackBook } from "./attack-book.ts";
import type { RunningChain } from "./chain/chain.ts";
import { createRpcUrlFinder } from "./conditions/evaluate-access.ts";
import { hideDeleted } from "./content/hide-deleted.ts";
import { createLedger } from "./content/ledger.ts";
import { getLimitedClass, type LimitedClass } from "./content/storage-class.ts";
import { openContentStore } from "./content/store.ts";
import { createAuth } from "./credentials.ts";
import { createDealBook } from "./deals.ts";
import type { ForgedRequests, SettleFaults } from "./fault-actions.ts";
import { createIpnsBook } from "./ipns.ts";
import { createShardStore, NODE_COUNT, type ShardStore } from "./key-nodes/shard-store.ts";
import type { ResolvedOptions } from "./options.ts";
import { createPdpBook } from "./pdp.ts";
import { createMemoryState } from "./state/stored-map.ts";
import { createTill } from "./x402/till.ts";

export type Network = Awaited<ReturnType<typeof createNetwork>>;

/**
 * Creates the shared state of the services: what is in `state`, with the content in `dataDir`. No two devnets share any of
 * it.
 *
 * @param chain - for payments, if there is one
 * @param state - by default an empty one, which ends with its process
 */
export async function createNetwork(
  options: ResolvedOptions,
  dataDir: string,
  chain: RunningChain | undefined,
  state = createMemoryState(),
) {
  const store = await openContentStore(dataDir);
  const ledger = createLedger(state);
  const content = options.unkind ? { ...store, read: hideDeleted(store.read, ledger) } : store;
  const attacks = createAttackBook(options.attacks);
  const limits: Record<LimitedClass, number> = { annual: options.dataLimit, ...options.storageLimits };
  return {
    options,
    auth: createAuth(options.jwtLifetimeSeconds, state),
    content,
    ledger,
    /** Bytes each account may store, without what it has paid for. */
    limits,
    deals: createDealBook(content, ledger, options, state.map("deals")),
    pdp: createPdpBook(options.proofDelayMs, state.map("pdp-deals")),
    ipns: createIpnsBook(state.map("names")),
    /** USD per whole coin, by symbol in upper case. */
    tickers: new Map(Object.entries(options.tickers).map(([symbol, price]) => [symbol.toUpperCase(), price])),
    /** Finds the chains that access conditions read. */
    findRpcUrl: createRpcUrlFinder(options.evmRpc, chain?.rpc),
    /** One independent store per key node; node n is at n - 1. */
    shardStores: Array.from({ length: NODE_COUNT }, (_, index) => {
      const node = index + 1;
      const store = createShardStore(state.map(`shards-${node}`), state.map(`delegates-${node}`));
      return createHostileStore(store, node, attacks);
    }),
    attacks,
    stoppedNodes: new Set<number>(),
    /** Requests that a key node responds to with a forged shard, because of a fault. */
    forgedRequests: new WeakSet() as ForgedRequests,
    /** Requests whose payment is settled in another way, because of a fault. */
    settleFaults: new WeakMap() as SettleFaults,
    /** What the service that is paid per upload knows. */
    till: createTill(state),
    chain,
  };
}

/**
 * Computes the bytes that an account may store, and has stored, under the limit that applies to a storage class: that of every
 * account, plus in `annual` what it has paid for.
 */
export async function getRoom({ ledger, limits, tickers, chain }: Network, address: string, storage: string) {
  const limited = getLimitedClass(storage);
  const price = chain && tickers.get(chain.chain.network.symbol);
  const paid = limited === "annual" && chain ? await chain.computePaidBytes(address, price ?? 0) : 0;
  return { limit: limits[limited] + paid, used: ledger.sumBytes(address, limited) };
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
