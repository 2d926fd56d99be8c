import { QueryClient, QueryClientContext, QueryClientProvider } from "@tanstack/react-query";
import type { Eip1193Provider, Kit, KitDefaults } from "keeplight";
import { isFreeWallet } from "keeplight/parts";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useState,
} from "react";
import { type BoundKit, bindKit, isBoundTo } from "./bound-kit.ts";
import { createKitCache, type KitCache } from "./cache.ts";
import { missingKitProvider } from "./errors.ts";
import { useLatest, useLifetime, useOwned } from "./store.ts";
import { createUnfinishedManager, type UnfinishedManager } from "./unfinished-manager.ts";
import { createUploadManager, type UploadManager } from "./upload-manager.ts";
import { firstAccount } from "./wallet-store.ts";

/** What a provider provides. */
interface Provided {
  /** The kit, with what it is bound to. Its changes do not refresh the cache. */
  bound: BoundKit;
  cache: KitCache;
  uploads: UploadManager;
  unfinished: UnfinishedManager;
}

const KitContext = createContext<Provided | undefined>(undefined);

/** Properties of {@link KitProvider}. */
export interface KitProviderProps {
  /**
   * Options of every call below: `apiKey`, `signer`, `endpoints` … Compared by value, signers by their account, and the
   * journal by its identity.
   * Default none.
   */
  options?: KitDefaults | undefined;
  /**
   * What the account is called in the keys of queries, for a cache that comes from a server or outlives the page: as in
   * `createQueries`. Default a random name, whose queries are removed when the account changes.
   */
  account?: string | undefined;
  /** The components that use the kit. */
  children?: ReactNode;
}

/**
 * Provides the components below it with a kit that has these options bound. The kit keeps its identity as long as
 * the options have the same values and the signer has the same account, so both may be written inline. Accounts are
 * compared by the signer's `address`, its client's account or its `getAddress()`; a wallet's provider by its identity, and
 * its `accountsChanged` is followed.
 *
 * What is loaded is in the cache of the `QueryClientProvider` of TanStack Query above, or in one of its own. When the kit
 * changes, the hooks below drop what they have loaded, decrypted or downloaded. Uploads belong to the
 * provider: those of the previous account continue with its own kit, never with the new one. Unmounting aborts them.
 *
 * @example
 * <KitProvider options={{ apiKey, signer }}>
 *   <App />
 * </KitProvider>
 */
export function KitProvider({ options = {}, account, children }: KitProviderProps): ReactElement {
  const bound = useBoundKit(options);
  const { kit, journal } = bound;
  const [own] = useState(createClient);
  const client = useContext(QueryClientContext) ?? own;
  const cache = useMemo(() => createKitCache(client, kit, account), [client, kit, account]);
  const latest = useLatest({ bound, cache });
  const getBound = () => latest.current.bound;
  const [uploads] = useState(() => createUploadManager(getBound, () => latest.current.cache.refresh("upload")));
  const onResumed = () => latest.current.cache.refresh();
  const unfinished = useOwned(() => createUnfinishedManager(journal, getBound, uploads, onResumed), journal);
  useLifetime(cache);
  useLifetime(uploads);
  useLifetime(unfinished);
  const value = useMemo(() => ({ bound, cache, uploads, unfinished }), [bound, cache, uploads, unfinished]);
  const provided = createElement(KitContext.Provider, { value }, children);
  return client === own ? createElement(QueryClientProvider, { client }, provided) : provided;
}

/** A cache for pages that have none. */
const createClient = () => new QueryClient({ defaultOptions: { queries: { refetchOnReconnect: true } } });

/**
 * Returns the kit of the nearest {@link KitProvider}: every function of keeplight that uses the network. Its type
 * does not show what the provider binds: without an API key or a signer, calls that need one throw `MISSING_API_KEY` or
 * `MISSING_OWNER`.
 *
 * @throws `UNSUPPORTED` outside a {@link KitProvider}
 */
export function useKit(): Kit {
  return useProvided().cache.kit;
}

/** Returns what the nearest {@link KitProvider} provides. */
export function useProvided(): Provided {
  const provided = useContext(KitContext);
  if (!provided) throw missingKitProvider();
  return provided;
}

/** Returns a kit with these options, the same one until they, or the account of their signer, change. */
function useBoundKit(options: KitDefaults): BoundKit {
  const [state, setState] = useState(() => bindKit(options));
  let bound = state;
  // During rendering, not in an effect: no rendering for one account shows what another one has loaded.
  if (isBoundTo(bound, options) === false) {
    bound = bindKit(options, bound);
    setState(bound);
  }
  const { signer } = options;
  const latest = useLatest(options);

  useInsertionEffect(() => bound.followFunctions(options), [bound, options]);

  useInsertionEffect(() => {
    const followed = bound.signer;
    if (signer === undefined || !followed) return;
    const previous = followed.latest();
    const isSame = followed.compare(signer);
    if (isSame === false) return;
    // Until it is known whose it is, it signs for the account of before or for none.
    followed.follow(signer);
    if (isSame === true) return;
    void isSame.then((same) => {
      if (same) return;
      followed.follow(previous);
      setState((current) => (current === bound ? bindKit(latest.current) : current));
    });
  }, [bound, signer, latest]);

  useEffect(() => {
    const wallet: Eip1193Provider | undefined = isFreeWallet(signer) ? signer : undefined;
    if (!wallet) return;
    const onAccounts = (accounts: unknown) => {
      const address = bound.signer?.address();
      if (address === undefined || firstAccount(accounts)?.toLowerCase() === address) return;
      setState(bindKit(latest.current));
    };
    wallet.on?.("accountsChanged", onAccounts);
    return () => void wallet.removeListener?.("accountsChanged", onAccounts);
  }, [bound, signer, latest]);

  return bound;
}
