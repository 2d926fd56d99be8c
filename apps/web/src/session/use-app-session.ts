import { useWallet } from "@keeplight/react";
import { type SessionView, type UseSession, useSession } from "@keeplight/react/drive";
import { useEffect, useMemo } from "react";
import type { AppNetwork } from "../network.ts";
import { replaceRoute } from "../routes.ts";
import { showLink } from "../shared/received-link.ts";
import { deleteDatabases, deleteOrphans } from "./account-databases.ts";
import type { Session } from "./session.ts";
import { type SignIn, useSignIn } from "./use-sign-in.ts";
import { useWatchedWallet } from "./use-watched-wallet.ts";

/** Who is signed in, and signing in. */
export interface AppSession extends Pick<UseSession, "resume" | "reload"> {
  state: SessionView;
  /** Of the signed-in account. */
  session: Session | undefined;
  wallet: ReturnType<typeof useWallet>;
  signIn: SignIn;
}

/** The session of this browser, which survives reloads, and the wallet of this page, which may not. */
export function useAppSession(network: AppNetwork): AppSession {
  const { wallets, state: connection, connect, disconnect } = useWallet();
  const wallet = useMemo(
    () => ({ wallets, state: connection, connect, disconnect }),
    [wallets, connection, connect, disconnect],
  );
  const watched = useWatchedWallet(wallet.state);
  const kept = useSession({ endpoints: network.endpoints, wallet: watched.wallet });
  const signIn = useSignIn(wallet, watched.wallet, kept);
  const { state, signIn: signInWallet, endAfter, lock, signOut, resume, reload } = kept;
  const session = useMemo((): Session | undefined => {
    if (state.status !== "signed-in") return undefined;
    const { account, options, endsAt, walletAccount, isSigningIn, error } = state;
    const { apiKey, signer, journal } = options;
    return {
      network,
      address: account.toLowerCase(),
      apiKey,
      signer,
      journal,
      endsAt,
      wallet,
      walletAccount,
      signing: watched.signing,
      isSigningIn,
      error,
      switchAccount: () => void signInWallet(),
      endAfter: (ms) => void endAfter(ms),
      lock: () => void lock(),
      async signOut(given) {
        if ((await signOut(given)) && journal) await deleteDatabases(journal.place);
        // The journal may be gone although that has failed.
        else await deleteOrphans();
      },
    };
  }, [network, state, wallet, watched.signing, signInWallet, endAfter, lock, signOut]);
  const address = session?.address;
  // What an account has opened ends with its session: the next person at this browser is not shown what it was.
  useEffect(() => {
    if (address === undefined) return;
    return () => {
      showLink(undefined);
      replaceRoute({ screen: "files" });
    };
  }, [address]);
  const isSignedOut = state.status === "signed-out";
  useEffect(() => {
    if (isSignedOut) void deleteOrphans().catch(() => undefined);
  }, [isSignedOut]);
  // Nor which wallet it was.
  const isSignedIn = address !== undefined;
  useEffect(() => (isSignedIn ? disconnect : undefined), [isSignedIn, disconnect]);
  return { state, session, wallet, signIn, resume, reload };
}
