import { KitProvider, useWallet } from "keeplight/react";
import { useMemo } from "react";
import { ConnectScreen } from "./connect/connect-screen.tsx";
import type { AppNetwork } from "./network.ts";
import { AccountData } from "./session/account-data.tsx";
import { LeaveGuard } from "./session/leave-guard.tsx";
import { type Session, SessionContext } from "./session/session.ts";
import { useSignIn } from "./session/use-sign-in.ts";
import { Shell } from "./shell/shell.tsx";
import { PaymentProvider } from "./storage/payment-provider.tsx";
import { Toasts } from "./ui/toasts.tsx";
import { UploadsProvider } from "./uploads/uploads-provider.tsx";

/** The connect screen, or the app for the signed-in account. Keys and signers are kept in this state only. */
export function App({ network }: { network: AppNetwork }) {
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
            disconnect: wallet.disconnect,
          }
        : undefined,
    [network, signIn.state, wallet.disconnect],
  );
  if (!session || signIn.state.status !== "signed-in") {
    return <ConnectScreen network={network} wallet={wallet} signIn={signIn} />;
  }
  const { apiKey } = signIn.state;
  const { endpoints, pauseMs } = network;
  return (
    <KitProvider
      // Another account's uploads, and what it has opened, end with its session.
      key={session.address}
      options={{ endpoints, pauseMs, apiKey, signer: session.signer, journal: session.journal }}
    >
      <SessionContext.Provider value={session}>
        <Toasts>
          <AccountData>
            <UploadsProvider>
              <PaymentProvider>
                <LeaveGuard>
                  <Shell />
                </LeaveGuard>
              </PaymentProvider>
            </UploadsProvider>
          </AccountData>
        </Toasts>
      </SessionContext.Provider>
    </KitProvider>
  );
}
