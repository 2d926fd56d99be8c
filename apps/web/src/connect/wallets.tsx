import type { UseWallet } from "@keeplight/react";
import { useLayoutEffect, useRef } from "react";
import type { AppNetwork } from "../network.ts";
import type { SignIn } from "../session/use-sign-in.ts";
import { ConnectProgress } from "./connect-progress.tsx";
import { listDevnetWallets } from "./devnet-wallets.ts";
import { WalletList } from "./wallet-list.tsx";

/** The wallets to choose from, or the progress of the chosen one. */
export function Wallets({ network, wallet, signIn }: { network: AppNetwork; wallet: UseWallet; signIn: SignIn }) {
  const { state, wallets } = wallet;
  const isShown = signIn.isChosen && state.status !== "disconnected";
  const list = useRef<HTMLUListElement>(null);
  const wasShown = useRef(false);
  // What was focused is gone with the progress.
  useLayoutEffect(() => {
    if (wasShown.current && !isShown) list.current?.querySelector("button")?.focus();
    wasShown.current = isShown;
  }, [isShown]);
  return (
    <div className="connect-options">
      {isShown ? (
        <ConnectProgress
          state={state}
          address={listDevnetWallets(network).find(({ choice }) => choice.id === state.wallet.id)?.address}
          signIn={signIn}
        />
      ) : (
        <WalletList ref={list} network={network} wallets={wallets} choose={signIn.choose} />
      )}
    </div>
  );
}
