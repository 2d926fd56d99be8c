import { createApiKeys } from "./auth/api-keys.ts";
import type { Auth } from "./auth/bearers.ts";
import { createJwts } from "./auth/jwts.ts";
import { createMessageBook } from "./auth/messages.ts";
import { createLedger, type Ledger } from "./content/ledger.ts";
import { type ContentStore, openContentStore } from "./content/store.ts";
import type { Liars } from "./faults/fault-actions.ts";
import { createShardStore, type ShardStore } from "./key-nodes/shard-store.ts";
import type { ResolvedOptions } from "./options.ts";

/** How many key nodes there are. */
export const NODE_COUNT = 5;

/** Everything the services know; nothing of it is shared between two devnets. */
export interface Network {
  options: ResolvedOptions;
  auth: Auth;
  content: ContentStore;
  ledger: Ledger;
  /** One store per key node; node n is at n - 1. They share nothing. */
  shardStores: readonly ShardStore[];
  stoppedNodes: Set<number>;
  /** Requests that a fault told a key node to answer with a lie. */
  liars: Liars;
}

/** Makes a network without users or content beyond what `dataDir` already holds. */
export async function createNetwork(options: ResolvedOptions, dataDir: string): Promise<Network> {
  return {
    options,
    auth: {
      messages: createMessageBook(),
      nodeMessages: createMessageBook(),
      apiKeys: createApiKeys(),
      jwts: createJwts(options.jwtLifetimeSeconds),
    },
    content: await openContentStore(dataDir),
    ledger: createLedger(),
    shardStores: Array.from({ length: NODE_COUNT }, createShardStore),
    stoppedNodes: new Set(),
    liars: new WeakSet(),
  };
}
