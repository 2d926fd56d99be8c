import type { UseWallet, WalletChoice, WalletState } from "@keeplight/react";
import type { UseSession } from "@keeplight/react/drive";
import { useEffect, useState } from "react";

/** Signing in by a wallet that its user chooses. */
export interface SignIn {
  /** A wallet that has connected by itself was not chosen, and is asked for nothing. */
  isChosen: boolean;
  /** Why the wallet has not signed, or was not accepted. */
  error: Error | undefined;
  choose(wallet: WalletChoice): void;
  retry(): void;
  cancel(): void;
}

/** @param signing - the connected wallet, as it is asked to sign */
export function useSignIn(wallet: UseWallet, signing: WalletState, { state, signIn }: UseSession): SignIn {
  const [isChosen, setChosen] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const signer = signing.status === "connected" ? signing.signer : undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` signs in again.
  useEffect(() => {
    if (!isChosen || !signer) return;
    const controller = new AbortController();
    void signIn({ signer, signal: controller.signal }).then((isDone) => {
      if (isDone) setChosen(false);
    });
    return () => controller.abort();
  }, [isChosen, signer, signIn, attempt]);

  return {
    isChosen,
    error: isChosen && state.status === "signed-out" ? state.error : undefined,
    choose(choice) {
      void wallet.connect(choice);
      setChosen(true);
    },
    retry() {
      if (wallet.state.status === "failed") void wallet.connect(wallet.state.wallet);
      else setAttempt((previous) => previous + 1);
    },
    cancel() {
      setChosen(false);
      wallet.disconnect();
    },
  };
}
