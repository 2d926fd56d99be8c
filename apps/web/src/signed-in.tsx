import { KitProvider } from "@keeplight/react";
import { DriveProvider } from "@keeplight/react/drive";
import { ContactBookProvider } from "./contacts/contact-book.tsx";
import { AccountData } from "./session/account-data.tsx";
import { LeaveGuard } from "./session/leave-guard.tsx";
import { type Session, SessionContext } from "./session/session.ts";
import { WalletGate } from "./session/wallet-gate.tsx";
import { Shell } from "./shell/shell.tsx";
import { PaymentProvider } from "./storage/payment-provider.tsx";
import { ThumbnailsProvider } from "./thumbnails/thumbnails-provider.tsx";
import { Toasts } from "./ui/toasts.tsx";
import { UploadsProvider } from "./uploads/uploads-provider.tsx";

/** The app for the signed-in account. Loaded while the wallets to connect are shown. */
export function SignedIn({ session }: { session: Session }) {
  const { network, apiKey, signer, journal } = session;
  const { endpoints, pauseMs } = network;
  return (
    <KitProvider
      // Another account's uploads, and what it has opened, end with its session.
      key={session.address}
      options={{ endpoints, pauseMs, apiKey, signer, journal }}
    >
      <SessionContext.Provider value={session}>
        <Toasts>
          <DriveProvider>
            <ContactBookProvider>
              <AccountData>
                <ThumbnailsProvider>
                  <UploadsProvider>
                    <PaymentProvider>
                      <LeaveGuard>
                        <WalletGate>
                          <Shell />
                        </WalletGate>
                      </LeaveGuard>
                    </PaymentProvider>
                  </UploadsProvider>
                </ThumbnailsProvider>
              </AccountData>
            </ContactBookProvider>
          </DriveProvider>
        </Toasts>
      </SessionContext.Provider>
    </KitProvider>
  );
}
