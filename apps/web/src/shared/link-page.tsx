import type { AppNetwork } from "../network.ts";
import { LanguageToggle } from "../shell/language-toggle.tsx";
import { ThemeToggle } from "../shell/theme-toggle.tsx";
import { Brand } from "../ui/brand.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { LinkScreen } from "./link-screen.tsx";

/** A shared file for people who are not signed in. */
export function LinkPage({ link, network }: { link: string; network: AppNetwork }) {
  return (
    <Toasts>
      <div className="connect link-page">
        <header className="connect-top">
          <Brand />
          <span className="preferences">
            <LanguageToggle />
            <ThemeToggle />
          </span>
        </header>
        <main>
          <ErrorBoundary>
            <LinkScreen link={link} network={network} />
          </ErrorBoundary>
        </main>
      </div>
    </Toasts>
  );
}
