import type { UseWallet } from "@keeplight/react";
import type { Journal, Signer } from "keeplight";
import { createContext, useContext, useSyncExternalStore } from "react";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import type { WatchedSigner } from "./watch-signer.ts";

/** The signed-in account, until its session ends. */
export interface Session {
  network: AppNetwork;
  /** Lower case. */
  address: string;
  apiKey: string;
  /** Asks the wallet only for what the session cannot sign. */
  signer: Signer;
  /** What survives this page; `undefined` if the browser keeps nothing. */
  journal: Journal | undefined;
  /** When the session ends, in milliseconds since 1970. */
  endsAt: number;
  /** After a reload none may be connected, and it may be of another account. */
  wallet: UseWallet;
  /** Of the connected wallet, if that is another account. */
  walletAccount: string | undefined;
  /** Whether the wallet is asked to sign. */
  signing: Pick<WatchedSigner, "subscribe" | "isSigning">;
  /** Whether the wallet's account is being signed in. */
  isSigningIn: boolean;
  /** Why the latest of the calls below has failed. */
  error: Error | undefined;
  /** Signs in the account of the wallet, in the place of this one. */
  switchAccount(): void;
  endAfter(ms: number): void;
  /** Ends the session in all tabs; asks before that if something would be lost. */
  lock(): void;
  /** Removes all that this browser has of the account, but fails if something is not complete and `discard` is not set. */
  signOut(options?: { discard: boolean }): void;
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

/** The name of the connected wallet. */
export function useWalletName(): string {
  const { session } = useMessages();
  const { state } = useSession().wallet;
  return state.status === "disconnected" ? session.yourWallet : state.wallet.name;
}
