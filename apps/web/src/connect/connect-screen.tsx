import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import type { AppSession } from "../session/use-app-session.ts";
import { LanguageToggle } from "../shell/language-toggle.tsx";
import { OfflineBanner } from "../shell/offline-banner.tsx";
import { ThemeToggle } from "../shell/theme-toggle.tsx";
import { Brand } from "../ui/brand.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { OtherAccount } from "./other-account.tsx";
import { Pitch } from "./pitch.tsx";
import { Wallets } from "./wallets.tsx";

/** What the app does, and the wallets to connect. */
export function ConnectScreen({ network, app }: { network: AppNetwork; app: AppSession }) {
  const { connect } = useMessages();
  const { state, wallet, signIn, resume, reload } = app;
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
          {state.status === "failed" && <ErrorNote error={state.error} retry={() => void reload()} />}
          {state.status === "signed-out" && state.other !== undefined && (
            <OtherAccount address={state.other} resume={() => void resume()} />
          )}
          {/* Last, as it is smaller while a wallet is waited for: nothing is below it to move. */}
          <Wallets network={network} wallet={wallet} signIn={signIn} />
        </section>
      </main>
      <OfflineBanner />
    </div>
  );
}
