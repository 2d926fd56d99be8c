import type { WalletChoice } from "@keeplight/react";
import type { Ref } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import { listDevnetWallets } from "./devnet-wallets.ts";
import { WalletItem } from "./wallet-item.tsx";

/** The wallets to choose from: those of the browser, and a devnet's accounts. */
export function WalletList({
  network,
  wallets,
  choose,
  ref,
}: {
  network: AppNetwork;
  wallets: readonly WalletChoice[];
  choose: (wallet: WalletChoice) => void;
  ref?: Ref<HTMLUListElement>;
}) {
  const { connect } = useMessages();
  const accounts = listDevnetWallets(network);
  return (
    <>
      <ul className="wallet-list" ref={ref}>
        {wallets.map((choice) => (
          <WalletItem key={choice.id} choice={choice} detail={connect.browserWallet} choose={choose} />
        ))}
        {accounts.map(({ choice, address }) => (
          <WalletItem
            key={choice.id}
            choice={choice}
            detail={shorten(address, 8, 6)}
            address={address}
            choose={choose}
          />
        ))}
      </ul>
      {wallets.length === 0 && (
        <p className="hint">{accounts.length === 0 ? connect.noWallet : connect.testAccounts}</p>
      )}
    </>
  );
}
