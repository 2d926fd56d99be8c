import type { UseWallet, WalletChoice } from "keeplight/react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import type { SignIn } from "../session/use-sign-in.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { LanguageToggle } from "../shell/language-toggle.tsx";
import { OfflineBanner } from "../shell/offline-banner.tsx";
import { ThemeToggle } from "../shell/theme-toggle.tsx";
import { Brand } from "../ui/brand.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { listDevnetWallets } from "./devnet-wallets.ts";
import { Pitch } from "./pitch.tsx";

/** What the app does, and the wallets to connect. */
export function ConnectScreen({ network, wallet, signIn }: { network: AppNetwork; wallet: UseWallet; signIn: SignIn }) {
  const { connect } = useMessages();
  return (
    <div className="connect">
      <header className="connect-top">
        <Brand />
        <span className="preferences">
          <LanguageToggle />
          <ThemeToggle />
        </span>
      </header>
      <main className="connect-main">
        <Pitch network={network} />
        <section className="connect-card" aria-labelledby="connect-title">
          <h2 id="connect-title">{connect.title}</h2>
          <p className="quiet">{connect.hint}</p>
          <div className="connect-options">
            <Wallets network={network} wallet={wallet} signIn={signIn} />
          </div>
          <p className="connect-network">
            <Icon name="globe" size={16} /> {network.name ?? connect.publicNetwork}
          </p>
        </section>
      </main>
      <OfflineBanner />
    </div>
  );
}

/** The wallets to choose from, covered by the progress or failure of the chosen one, so that the layout does not shift. */
function Wallets({ network, wallet, signIn }: { network: AppNetwork; wallet: UseWallet; signIn: SignIn }) {
  const { connect, ui } = useMessages();
  const { state } = wallet;
  const isWaiting = state.status === "connecting" || signIn.state.status === "signing";
  const failure = signIn.state.status === "failed" ? signIn.state.error : state.status === "failed" && state.error;
  const accounts = listDevnetWallets(network);
  const name = state.status === "disconnected" ? connect.yourWallet : state.wallet.name;
  return (
    <>
      <div className={isWaiting || failure ? "wallets wallets-hidden" : "wallets"}>
        <ul className="wallet-list">
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
      </div>
      {isWaiting && (
        <div className="connect-waiting" role="status">
          <span className="spinner" aria-hidden="true" />
          <p>{state.status === "connecting" ? connect.waiting(name) : connect.sign(name)}</p>
          <Button kind="quiet" onClick={wallet.disconnect}>
            {ui.cancel}
          </Button>
        </div>
      )}
      {!isWaiting && failure && (
        <ErrorNote error={failure}>
          {signIn.state.status === "failed" && <Button onClick={signIn.retry}>{ui.tryAgain}</Button>}
          <Button kind="quiet" onClick={wallet.disconnect}>
            {connect.chooseAnother}
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
