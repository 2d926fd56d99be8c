import type { UseWallet, WalletChoice } from "keeplight/react";
import type { AppNetwork } from "../network.ts";
import type { SignIn } from "../session/use-sign-in.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { ThemeToggle } from "../shell/theme-toggle.tsx";
import { Brand } from "../ui/brand.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { shorten } from "../words/format.ts";
import { devnetWallets } from "./devnet-wallets.ts";
import { SplitPicture } from "./split-picture.tsx";

/** The way in: what this is, and the wallets to choose from. */
export function ConnectScreen({ network, wallet, signIn }: { network: AppNetwork; wallet: UseWallet; signIn: SignIn }) {
  return (
    <div className="connect">
      <header className="connect-top">
        <Brand />
        <ThemeToggle />
      </header>
      <main className="connect-main">
        <section className="connect-pitch">
          <h1>Files that open for the people you choose. No one else.</h1>
          <p>
            They are encrypted on your machine before anything leaves it. Each file’s key is split over five independent
            nodes: any three give it back to you, two learn nothing.
          </p>
          <SplitPicture />
        </section>
        <section className="connect-card" aria-labelledby="connect-title">
          <h2 id="connect-title">Connect a wallet</h2>
          <p className="quiet">Your address is your account. Signing in costs nothing and moves no funds.</p>
          <div className="connect-ways">
            <Wallets network={network} wallet={wallet} signIn={signIn} />
          </div>
          <p className="connect-network">
            <Icon name="globe" size={16} /> {network.name}
          </p>
        </section>
      </main>
    </div>
  );
}

/** The wallets to choose from; over them, while they stay where they are, how it goes with the chosen one. */
function Wallets({ network, wallet, signIn }: { network: AppNetwork; wallet: UseWallet; signIn: SignIn }) {
  const { state } = wallet;
  const isWaiting = state.status === "connecting" || signIn.state.status === "signing";
  const failure = signIn.state.status === "failed" ? signIn.state.error : state.status === "failed" && state.error;
  const accounts = devnetWallets(network);
  const name = state.status === "disconnected" ? "your wallet" : state.wallet.name;
  return (
    <>
      <div className={isWaiting || failure ? "wallets wallets-hidden" : "wallets"}>
        <ul className="wallet-list">
          {wallet.wallets.map((choice) => (
            <WalletItem key={choice.id} choice={choice} detail="Wallet of this browser" connect={wallet.connect} />
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
          <p className="hint">
            {accounts.length === 0
              ? "No wallet was found in this browser. Install one, such as MetaMask or Rabby, then reload this page."
              : "These accounts belong to the network on this machine, for trying things out."}
          </p>
        )}
      </div>
      {isWaiting && (
        <div className="connect-waiting" role="status">
          <span className="spinner" aria-hidden="true" />
          <p>{state.status === "connecting" ? `Waiting for ${name}…` : `Confirm the message in ${name}…`}</p>
          <Button kind="quiet" onClick={wallet.disconnect}>
            Cancel
          </Button>
        </div>
      )}
      {!isWaiting && failure && (
        <ErrorNote error={failure}>
          {signIn.state.status === "failed" && <Button onClick={signIn.retry}>Sign again</Button>}
          <Button kind="quiet" onClick={wallet.disconnect}>
            Choose another wallet
          </Button>
        </ErrorNote>
      )}
    </>
  );
}

function WalletItem({
  choice,
  detail,
  address,
  connect,
}: {
  choice: WalletChoice;
  detail: string;
  address?: string;
  connect: UseWallet["connect"];
}) {
  return (
    <li>
      <button type="button" className="wallet-item" onClick={() => connect(choice)}>
        {address && <AddressBadge address={address} size={36} />}
        {!address && choice.icon && <img src={choice.icon} alt="" width={36} height={36} />}
        {!address && !choice.icon && <Icon name="wallet" size={28} />}
        <span>
          <strong>{choice.name}</strong>
          <span className={address ? "mono quiet" : "quiet"}>{detail}</span>
        </span>
        <Icon name="chevron" size={18} />
      </button>
    </li>
  );
}
