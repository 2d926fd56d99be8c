import type { SessionOptions } from "@keeplight/drive";
import { useEffect } from "react";
import { useLifetime, useOwned, useStoreState } from "../store.ts";
import { initialState } from "../use-load.ts";
import type { WalletState } from "../wallet-store.ts";
import {
  createSessionStore,
  type SessionSignInOptions,
  type SessionSignOutOptions,
  type SessionView,
} from "./session-store.ts";

/** Options of {@link useSession}. */
export interface UseSessionOptions extends SessionOptions {
  /** The `state` of `useWallet()`: its wallet signs in, and signs what the session cannot. @default none */
  wallet?: WalletState | undefined;
}

/** What {@link useSession} returns. The functions keep their identity, never throw, and return whether they succeeded. */
export interface UseSession {
  /** Who is signed in, and what has failed. */
  state: SessionView;
  /**
   * Signs an account in, which its wallet signs twice; another account takes its place. Without a prompt if it is signed in
   * already: then only the end changes. If it fails, who was signed in before stays.
   */
  signIn(options?: SessionSignInOptions): Promise<boolean>;
  /** Shows the account that another tab has signed in. */
  resume(): Promise<boolean>;
  /** Ends the session so many milliseconds from now. */
  endAfter(ms: number): Promise<boolean>;
  /** Ends the session in all tabs. What is not complete stays, sealed, for the account's next sign-in. */
  lock(): Promise<boolean>;
  /**
   * Ends the session, and removes all that this browser has of the account. Fails with `SESSION_UNFINISHED`, and ends nothing,
   * if something would be lost and `discard` is not set.
   */
  signOut(options?: SessionSignOutOptions): Promise<boolean>;
  /** Opens the session again, after that has failed. */
  reload(): Promise<void>;
}

/**
 * The session of this site: the account that is signed in, in this tab and all others, also after a reload. Use it once, at
 * the root of an app. A wallet that changes to another account never changes what is shown: `walletAccount` has it, and the
 * app asks. Unmounting ends a sign-in that runs, but not the session.
 *
 * @example
 * const wallet = useWallet();
 * const { state, signIn } = useSession({ wallet: wallet.state });
 * if (state.status === "signed-in") return <KitProvider options={state.options}>…</KitProvider>;
 * return <button onClick={() => signIn({ endsAfterMs: 3_600_000 })}>Sign in</button>;
 */
export function useSession({ endpoints, wallet }: UseSessionOptions = {}): UseSession {
  const store = useOwned(() => createSessionStore(endpoints), JSON.stringify(endpoints));
  useLifetime(store);
  useEffect(() => store.start(), [store]);
  const signer = wallet?.status === "connected" ? wallet.signer : undefined;
  useEffect(() => store.connect(signer), [store, signer]);
  const state = useStoreState<SessionView>(store, initialState);
  const { signIn, resume, endAfter, lock, signOut, reload } = store;
  return { state, signIn, resume, endAfter, lock, signOut, reload };
}
