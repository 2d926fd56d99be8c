import type { Eip1193Provider } from "@keeplight/react";
import type { Journal, Signer } from "keeplight";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { AppNetwork } from "../network.ts";
import type { WatchedSigner } from "./watch-signer.ts";

/** The signed-in account and its wallet. In memory only. */
export interface Session {
  network: AppNetwork;
  /** Lower case. */
  address: string;
  signer: Signer;
  /** Whether the wallet is asked to sign. */
  signing: Pick<WatchedSigner, "subscribe" | "isSigning">;
  /** What survives this page; `undefined` if the browser keeps nothing. */
  journal: Journal | undefined;
  provider: Eip1193Provider;
  walletName: string;
  /** Signs out; asks before that while work is under way. */
  disconnect(): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session; available to signed-in screens only. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession works for signed-in screens only");
  return session;
}

/** Whether the wallet shows a message to sign. */
export function useIsSigning(): boolean {
  const { signing } = useSession();
  return useSyncExternalStore(signing.subscribe, signing.isSigning);
}
