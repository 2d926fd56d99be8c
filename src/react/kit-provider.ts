import { createContext, createElement, type ReactElement, type ReactNode, useContext, useMemo, useState } from "react";
import { missingKitProvider } from "../errors/input.ts";
import type { Kit, KitDefaults } from "../index.ts";
import { createUploadManager, type UploadManager } from "./upload-manager.ts";
import { useBoundKit } from "./use-bound-kit.ts";
import { useManager } from "./use-manager.ts";

const KitContext = createContext<{ kit: Kit; uploads: UploadManager } | undefined>(undefined);

/** Properties of {@link KitProvider}. */
export interface KitProviderProps {
  /**
   * Options of every call below: `apiKey`, `signer`, `endpoints` … Compared by value, and signers by their account.
   * Default none.
   */
  options?: KitDefaults | undefined;
  /** The components that use the kit. */
  children?: ReactNode;
}

/**
 * Provides the components below it with a kit that has these options bound. The kit keeps its identity as long as
 * the options have the same values and the signer has the same account, so both may be written inline. Accounts are
 * compared by the signer's `address`, its client's account or its `getAddress()`; a wallet's provider by its identity, and
 * its `accountsChanged` is followed.
 *
 * When the kit changes, the hooks below drop what they have loaded, decrypted or downloaded. Uploads belong to the
 * provider: those of the previous account continue with its own kit, never with the new one. Unmounting aborts them.
 *
 * @example
 * <KitProvider options={{ apiKey, signer }}>
 *   <App />
 * </KitProvider>
 */
export function KitProvider({ options = {}, children }: KitProviderProps): ReactElement {
  const bound = useBoundKit(options);
  const [uploads] = useState(createUploadManager);
  useManager(uploads, bound);
  const { kit } = bound;
  const value = useMemo(() => ({ kit, uploads }), [kit, uploads]);
  return createElement(KitContext.Provider, { value }, children);
}

/**
 * Returns the kit of the nearest {@link KitProvider}: every function of the package that uses the network. Its type
 * does not show what the provider binds: without an API key or a signer, calls that need one throw `MISSING_API_KEY` or
 * `MISSING_OWNER`.
 *
 * @throws `UNSUPPORTED` outside a {@link KitProvider}
 */
export function useKit(): Kit {
  return useProvided().kit;
}

/** Returns the uploads of the nearest {@link KitProvider}. */
export function useUploadManager(): UploadManager {
  return useProvided().uploads;
}

function useProvided(): { kit: Kit; uploads: UploadManager } {
  const provided = useContext(KitContext);
  if (!provided) throw missingKitProvider();
  return provided;
}
