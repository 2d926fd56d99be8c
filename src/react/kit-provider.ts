import { createContext, createElement, type ReactElement, type ReactNode, useContext, useMemo } from "react";
import { missingKitProvider } from "../errors/input.ts";
import { createKit, type Kit, type KitDefaults } from "../index.ts";

const KitContext = createContext<Kit | undefined>(undefined);

/** Properties of {@link KitProvider}. */
export interface KitProviderProps {
  /** Options of every call below: `apiKey`, `signer`, `endpoints` … Compared by value. Default none. */
  options?: KitDefaults | undefined;
  /** The components that use the kit. */
  children?: ReactNode;
}

/**
 * Provides the components below it with a kit that has these options bound. The kit keeps its identity as long as
 * the options have the same values, so they may be written inline; signers are compared by identity.
 * When the kit changes, the hooks below drop what they have decrypted or downloaded.
 *
 * @example
 * <KitProvider options={{ apiKey, signer }}>
 *   <App />
 * </KitProvider>
 */
export function KitProvider({ options = {}, children }: KitProviderProps): ReactElement {
  const { endpoints, signal, signer, ...serializable } = options;
  const optionsKey = JSON.stringify([serializable, endpoints]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `optionsKey` stands for the values of all other options.
  const kit = useMemo(() => createKit(options) as Kit, [optionsKey, signal, signer]);
  return createElement(KitContext.Provider, { value: kit }, children);
}

/**
 * Returns the kit of the nearest {@link KitProvider}: every function of the package that uses the network. Its type
 * does not show what the provider binds: without an API key or a signer, calls that need one throw `MISSING_API_KEY` or
 * `MISSING_OWNER`.
 *
 * @throws `UNSUPPORTED` outside a {@link KitProvider}
 */
export function useKit(): Kit {
  const kit = useContext(KitContext);
  if (!kit) throw missingKitProvider();
  return kit;
}
