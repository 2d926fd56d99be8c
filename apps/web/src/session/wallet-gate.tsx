import type { WalletState } from "@keeplight/react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { WalletList } from "../connect/wallet-list.tsx";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { type Session, useSession } from "./session.ts";

type Connected = Extract<WalletState, { status: "connected" }>;
type AskWallet = () => Promise<Connected | undefined>;

const WalletGateContext = createContext<AskWallet | undefined>(undefined);

/** Connects the wallet of the account, once something needs it: after a reload there may be none, or another account's. */
export function WalletGate({ children }: { children: ReactNode }) {
  const session = useSession();
  const own = findOwnWallet(session);
  const [waiting, setWaiting] = useState<{ settle: (wallet: Connected | undefined) => void }>();
  const ask = useCallback<AskWallet>(
    () => (own ? Promise.resolve(own) : new Promise((settle) => setWaiting({ settle }))),
    [own],
  );
  const end = (wallet?: Connected) => {
    waiting?.settle(wallet);
    setWaiting(undefined);
  };
  useEffect(() => {
    if (!own || !waiting) return;
    waiting.settle(own);
    setWaiting(undefined);
  }, [own, waiting]);
  return (
    <WalletGateContext.Provider value={ask}>
      {children}
      {waiting && !own && <WalletDialog session={session} onCancel={() => end()} />}
    </WalletGateContext.Provider>
  );
}

/** Returns what resolves to the wallet of the account; to `undefined` if its user does not connect it. */
export function useAskWallet(): AskWallet {
  const ask = useContext(WalletGateContext);
  if (!ask) throw new Error("useAskWallet works inside <WalletGate> only");
  return ask;
}

function findOwnWallet({ wallet: { state }, address }: Session): Connected | undefined {
  return state.status === "connected" && state.address.toLowerCase() === address ? state : undefined;
}

function WalletDialog({ session, onCancel }: { session: Session; onCancel: () => void }) {
  const { session: texts, connect, ui } = useMessages();
  const { network, wallet, address } = session;
  const { state } = wallet;
  return (
    <Dialog title={texts.connectTitle} onClose={onCancel}>
      <p>{texts.connectHint(shorten(address, 6, 4))}</p>
      {state.status === "connected" && (
        <p role="alert" className="note">
          {texts.otherWallet(shorten(state.address, 6, 4), shorten(address, 6, 4))}
        </p>
      )}
      {state.status === "connecting" && <p role="status">{connect.waiting(state.wallet.name)}</p>}
      {state.status === "failed" && <ErrorNote error={state.error} retry={() => void wallet.connect(state.wallet)} />}
      <WalletList network={network} wallets={wallet.wallets} choose={(choice) => void wallet.connect(choice)} />
      <div className="dialog-actions">
        <Button kind="quiet" onClick={onCancel}>
          {ui.cancel}
        </Button>
      </div>
    </Dialog>
  );
}
