import { createApiKey, type Signer } from "keeplight";
import type { Eip1193Provider, UseWallet } from "keeplight/react";
import { useEffect, useState } from "react";
import type { AppNetwork } from "../network.ts";

/** The state of signing in, once a wallet is connected. */
type SignInState =
  | { status: "signed-out" }
  | { status: "signing" }
  | { status: "failed"; error: unknown }
  | {
      status: "signed-in";
      address: string;
      apiKey: string;
      signer: Signer;
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
    createApiKey({ signer, endpoints: network.endpoints, signal: controller.signal }).then(
      (apiKey) => {
        if (controller.signal.aborted) return;
        const { address, wallet: choice } = connected;
        const { provider, name: walletName } = choice;
        setState({ status: "signed-in", address: address.toLowerCase(), apiKey, signer, provider, walletName });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ status: "failed", error });
      },
    );
    return () => controller.abort();
  }, [signer, network, attempt]);

  return { state, retry: () => setAttempt((previous) => previous + 1) };
}
