import type { UseWallet } from "@keeplight/react";
import { useLayoutEffect, useRef } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import type { SignIn } from "../session/use-sign-in.ts";
import { ConnectProgress } from "./connect-progress.tsx";
import { listDevnetWallets } from "./devnet-wallets.ts";
import { WalletItem } from "./wallet-item.tsx";

/** The wallets to choose from, or the progress of the chosen one. */
export function Wallets({ network, wallet, signIn }: { network: AppNetwork; wallet: UseWallet; signIn: SignIn }) {
  const { connect } = useMessages();
  const { state } = wallet;
  const accounts = listDevnetWallets(network);
  const isChosen = state.status !== "disconnected";
  const list = useRef<HTMLUListElement>(null);
  const wasChosen = useRef(false);
  // What was focused is gone with the progress.
  useLayoutEffect(() => {
    if (wasChosen.current && !isChosen) list.current?.querySelector("button")?.focus();
    wasChosen.current = isChosen;
  }, [isChosen]);
  return (
    <div className="connect-options">
      {isChosen ? (
        <ConnectProgress
          state={state}
          address={accounts.find(({ choice }) => choice.id === state.wallet.id)?.address}
          wallet={wallet}
          signIn={signIn}
        />
      ) : (
        <>
          <ul className="wallet-list" ref={list}>
            {wallet.wallets.map((choice) => (
              <WalletItem key={choice.id} choice={choice} detail={connect.browserWallet} connect={wallet.connect} />
            ))}
            {accounts.map(({ choice, address }) => (
              <WalletItem
                key={choice.id}
                choice={choice}
                detail={shorten(address, 8, 6)}
                address={address}
                connect={wallet.connect}
              />
            ))}
          </ul>
          {wallet.wallets.length === 0 && (
            <p className="hint">{accounts.length === 0 ? connect.noWallet : connect.testAccounts}</p>
          )}
        </>
      )}
    </div>
  );
}
