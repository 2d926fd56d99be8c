import type { UseWallet } from "@keeplight/react";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import type { SignIn } from "../session/use-sign-in.ts";
import { LanguageToggle } from "../shell/language-toggle.tsx";
import { OfflineBanner } from "../shell/offline-banner.tsx";
import { ThemeToggle } from "../shell/theme-toggle.tsx";
import { Brand } from "../ui/brand.tsx";
import { Icon } from "../ui/icon.tsx";
import { Pitch } from "./pitch.tsx";
import { Wallets } from "./wallets.tsx";

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
          <p className="connect-network">
            <Icon name="globe" size={16} /> {network.devnet ? connect.devnet : connect.publicNetwork}
          </p>
          {/* Last, as it is smaller while a wallet is waited for: nothing is below it to move. */}
          <Wallets network={network} wallet={wallet} signIn={signIn} />
        </section>
      </main>
      <OfflineBanner />
    </div>
  );
}
