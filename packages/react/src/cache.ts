import type { QueryClient } from "@tanstack/react-query";
import type { Kit } from "keeplight";
import { coalesce } from "./open-operations.ts";
import { createQueries, getAccount, setAccount } from "./query/create-queries.ts";
import { type ChangingCall, staleAfter } from "./query/stale.ts";

/** What is loaded by one kit, in a cache of TanStack Query. */
export type KitCache = ReturnType<typeof createKitCache>;

/** Frameworks that render in advance refuse random values; what a server's cache has, no other process reads. */
const isServer = typeof window === "undefined";
let renderings = 0;

/**
 * Follows what a kit changes: what a change makes stale is loaded again, once for all changes that end meanwhile.
 *
 * @param name - of the account in keys. Default a random one, whose queries are removed when the cache is closed
 */
export function createKitCache(client: QueryClient, kit: Kit, name?: string) {
  const account = name ?? (isServer ? `rendering ${++renderings}` : getAccount(kit));
  const queries = createQueries(kit, { account });
  const all = queries.all();
  let stale = new Map<string, readonly string[]>();

  const reload = coalesce(async () => {
    // Changes that end together are one.
    await Promise.resolve();
    const paths = [...stale.values()];
    stale = new Map();
    await Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [...all, ...path] })));
  });

  /** Loads again what a call that has ended makes stale, as far as it is shown; without a call, everything. */
  function refresh(call?: ChangingCall, first?: unknown): void {
    for (const path of call ? staleAfter[call](first) : [[]]) stale.set(path.join(), path);
    void reload();
  }

  const calls = Object.keys(staleAfter) as ChangingCall[];
  const following = calls.map((call) => {
    const run = kit[call] as (...given: unknown[]) => Promise<unknown>;
    // A failure may have done a part of the change.
    const follow = (...given: unknown[]) => run(...given).finally(() => refresh(call, given[0]));
    return [call, follow];
  });
  const followed: Kit = { ...kit, ...Object.fromEntries(following) };
  setAccount(followed, account);

  return {
    queries,
    /** The kit, whose changes load again what they make stale. */
    kit: followed,
    refresh,
    open: () => undefined,
    close() {
      if (name === undefined) client.removeQueries({ queryKey: all });
    },
  };
}
