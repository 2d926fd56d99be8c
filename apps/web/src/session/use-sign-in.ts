import type { Eip1193Provider, UseWallet } from "@keeplight/react";
import { createApiKey, type Journal, openJournal, type Signer } from "keeplight";
import { useEffect, useState } from "react";
import type { AppNetwork } from "../network.ts";
import { type WatchedSigner, watchSigner } from "./watch-signer.ts";

/** The state of signing in, once a wallet is connected. */
type SignInState =
  | { status: "signed-out" }
  | { status: "signing" }
  | { status: "failed"; error: unknown }
  | {
      status: "signed-in";
      address: string;
      apiKey: string;
      /** The wallet's own, by which it is recognised. */
      of: Signer;
      signing: WatchedSigner;
      journal: Journal | undefined;
      provider: Eip1193Provider;
      walletName: string;
    };

/** Signing in. */
export interface SignIn {
  state: SignInState;
  retry(): void;
}

/** Signs in each account that the wallet connects, by signing for an API key. Another account is another session. */
export function useSignIn(wallet: UseWallet["state"], network: AppNetwork): SignIn {
  const [state, setState] = useState<SignInState>({ status: "signed-out" });
  const [attempt, setAttempt] = useState(0);
  const connected = wallet.status === "connected" ? wallet : undefined;
  const signer = connected?.signer;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a signer identifies wallet and account; `attempt` signs in again.
  useEffect(() => {
    if (!connected || !signer) {
      setState({ status: "signed-out" });
      return;
    }
    const controller = new AbortController();
    setState({ status: "signing" });
    const address = connected.address.toLowerCase();
    const { provider, name: walletName } = connected.wallet;
    Promise.all([
      createApiKey({ signer, endpoints: network.endpoints, signal: controller.signal }),
      openOwnJournal(network, address),
    ]).then(
      ([apiKey, journal]) => {
        if (controller.signal.aborted) return;
        const signing = watchSigner(signer);
        setState({ status: "signed-in", address, apiKey, of: signer, signing, journal, provider, walletName });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ status: "failed", error });
      },
    );
    return () => controller.abort();
  }, [signer, network, attempt]);

  // The account was switched, and the effect has yet to run: nobody sees the previous session any more.
  const isStale = state.status === "signed-in" && state.of !== signer;
  return { state: isStale ? { status: "signing" } : state, retry: () => setAttempt((previous) => previous + 1) };
}

/** Opens the journal of an account on a network. The app works without one, where the browser keeps no keys. */
function openOwnJournal({ endpoints }: AppNetwork, address: string): Promise<Journal | undefined> {
  return openJournal({ name: `keeplight journal ${new URL(endpoints.api).host} ${address}` }).catch(() => undefined);
}
