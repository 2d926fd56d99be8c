import { createApiKey, type Signer } from "keeplight";
import type { Eip1193Provider, UseWallet } from "keeplight/react";
import { useEffect, useState } from "react";
import type { AppNetwork } from "../network.ts";

/** Where the way in is, once a wallet is connected. */
type SignInState =
  | { status: "out" }
  | { status: "signing" }
  | { status: "failed"; error: unknown }
  | {
      status: "in";
      address: string;
      apiKey: string;
      signer: Signer;
      provider: Eip1193Provider;
      walletName: string;
    };

/** The way in. */
export interface SignIn {
  state: SignInState;
  retry(): void;
}

/** Has each account that the wallet brings sign for an API key. Another account means another session. */
export function useSignIn(wallet: UseWallet["state"], network: AppNetwork): SignIn {
  const [state, setState] = useState<SignInState>({ status: "out" });
  const [attempt, setAttempt] = useState(0);
  const connected = wallet.status === "connected" ? wallet : undefined;
  const signer = connected?.signer;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a signer stands for wallet and account; `attempt` asks again.
  useEffect(() => {
    if (!connected || !signer) {
      setState({ status: "out" });
      return;
    }
    const controller = new AbortController();
    setState({ status: "signing" });
    createApiKey({ signer, endpoints: network.endpoints, signal: controller.signal }).then(
      (apiKey) => {
        if (controller.signal.aborted) return;
        const { address, wallet: chosen } = connected;
        const { provider, name: walletName } = chosen;
        setState({ status: "in", address: address.toLowerCase(), apiKey, signer, provider, walletName });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ status: "failed", error });
      },
    );
    return () => controller.abort();
  }, [signer, network, attempt]);

  return { state, retry: () => setAttempt((before) => before + 1) };
}
