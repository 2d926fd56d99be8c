import { createContext, createElement, type ReactElement, type ReactNode, useContext, useMemo } from "react";
import { createKit, KeeplightError, type Kit, type KitDefaults } from "../index.ts";

const KitContext = createContext<Kit | undefined>(undefined);

/** Properties of {@link KitProvider}. */
export interface KitProviderProps {
  /** Options of every call below: `apiKey`, `signer`, `endpoints` … Compared by their values. Default none. */
  options?: KitDefaults | undefined;
  /** What may use the kit. */
  children?: ReactNode;
}

/**
 * Gives the components below it a kit with these options bound. The kit stays the same one for as long as
 * the options have the same values, so they may be written in place; a signer is the same if it is the same object.
 * With another kit the hooks below forget what they have decrypted or downloaded.
 *
 * @example
 * <KitProvider options={{ apiKey, signer }}>
 *   <App />
 * </KitProvider>
 */
export function KitProvider({ options = {}, children }: KitProviderProps): ReactElement {
  const { endpoints, signal, signer, ...plain } = options;
  const facts = JSON.stringify([plain, endpoints]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `facts` stands for the values of all other options.
  const kit = useMemo(() => createKit(options), [facts, signal, signer]);
  return createElement(KitContext.Provider, { value: kit }, children);
}

/**
 * The kit of the nearest {@link KitProvider}: every function of the package that reaches the network.
 *
 * @throws `UNSUPPORTED` outside a {@link KitProvider}
 */
export function useKit(): Kit {
  const kit = useContext(KitContext);
  if (!kit) throw new KeeplightError("UNSUPPORTED", "useKit and the other hooks work below a <KitProvider> only");
  return kit;
}
