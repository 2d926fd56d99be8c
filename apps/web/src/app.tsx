import { lazy, Suspense, useEffect } from "react";
import { ConnectScreen } from "./connect/connect-screen.tsx";
import type { AppNetwork } from "./network.ts";
import { useAppSession } from "./session/use-app-session.ts";
import { useReceivedLink } from "./shared/received-link.ts";
import { colourBars, useIsDark } from "./shell/theme.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";

const loadSignedIn = () => import("./signed-in.tsx");
const SignedIn = lazy(() => loadSignedIn().then((module) => ({ default: module.SignedIn })));

const LinkPage = lazy(() => import("./shared/link-page.tsx").then((module) => ({ default: module.LinkPage })));

/** Loads what is shown after sign-in; a failure is noticed, and tried again, once it is shown. */
export function preloadSignedIn(): void {
  loadSignedIn().catch(() => undefined);
}

/** The app for the signed-in account, or the connect screen; nothing until it is known which. */
export function App({ network }: { network: AppNetwork }) {
  const isDark = useIsDark();
  useEffect(() => colourBars(isDark), [isDark]);
  const link = useReceivedLink();
  const app = useAppSession(network);
  if (app.state.status === "loading") return <div aria-busy="true" />;
  if (!app.session && link === undefined) return <ConnectScreen network={network} app={app} />;
  return (
    <ErrorBoundary onReload={() => location.reload()}>
      <Suspense fallback={<div aria-busy="true" />}>
        {app.session ? (
          <SignedIn session={app.session} />
        ) : (
          link !== undefined && <LinkPage link={link} network={network} />
        )}
      </Suspense>
    </ErrorBoundary>
  );
}
