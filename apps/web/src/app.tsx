import { useWallet } from "@keeplight/react";
import { lazy, Suspense, useEffect, useMemo } from "react";
import { ConnectScreen } from "./connect/connect-screen.tsx";
import type { AppNetwork } from "./network.ts";
import { replaceRoute } from "./routes.ts";
import type { Session } from "./session/session.ts";
import { useSignIn } from "./session/use-sign-in.ts";
import { showLink, useReceivedLink } from "./shared/received-link.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";

const loadSignedIn = () => import("./signed-in.tsx");
const SignedIn = lazy(() => loadSignedIn().then((module) => ({ default: module.SignedIn })));

const LinkPage = lazy(() => import("./shared/link-page.tsx").then((module) => ({ default: module.LinkPage })));

/** Loads what is shown after sign-in; a failure is noticed, and tried again, once it is shown. */
export function preloadSignedIn(): void {
  loadSignedIn().catch(() => undefined);
}

/** The connect screen, or the app for the signed-in account. Keys and signers are kept in this state only. */
export function App({ network }: { network: AppNetwork }) {
  const link = useReceivedLink();
  const wallet = useWallet({ reconnect: false });
  const signIn = useSignIn(wallet.state, network);
  const session = useMemo(
    (): Session | undefined =>
      signIn.state.status === "signed-in"
        ? {
            network,
            address: signIn.state.address,
            signer: signIn.state.signing.signer,
            signing: signIn.state.signing,
            journal: signIn.state.journal,
            provider: signIn.state.provider,
            walletName: signIn.state.walletName,
            disconnect() {
              // The next person at this browser is not shown what was open.
              replaceRoute({ screen: "files" });
              wallet.disconnect();
            },
          }
        : undefined,
    [network, signIn.state, wallet.disconnect],
  );
  const account = session?.address;
  // What an account has opened ends with its session.
  useEffect(() => (account === undefined ? undefined : () => showLink(undefined)), [account]);

  if (link !== undefined && !session) {
    return (
      <ErrorBoundary onReload={() => location.reload()}>
        <Suspense fallback={<div aria-busy="true" />}>
          <LinkPage link={link} network={network} />
        </Suspense>
      </ErrorBoundary>
    );
  }
  if (!session || signIn.state.status !== "signed-in") {
    return <ConnectScreen network={network} wallet={wallet} signIn={signIn} />;
  }
  return (
    <ErrorBoundary onReload={() => location.reload()}>
      <Suspense fallback={<div aria-busy="true" />}>
        <SignedIn session={session} apiKey={signIn.state.apiKey} />
      </Suspense>
    </ErrorBoundary>
  );
}
