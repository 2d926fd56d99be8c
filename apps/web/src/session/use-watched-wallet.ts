import type { WalletState } from "@keeplight/react";
import { useMemo } from "react";
import type { Session } from "./session.ts";
import { watchSigner } from "./watch-signer.ts";

const idle: Session["signing"] = { subscribe: () => () => undefined, isSigning: () => false };

/** The wallet, and whether it is asked to sign. */
export function useWatchedWallet(wallet: WalletState): { wallet: WalletState; signing: Session["signing"] } {
  const signer = wallet.status === "connected" ? wallet.signer : undefined;
  const watched = useMemo(() => signer && watchSigner(signer), [signer]);
  return useMemo(
    () =>
      wallet.status === "connected" && watched
        ? { wallet: { ...wallet, signer: watched.signer }, signing: watched }
        : { wallet, signing: idle },
    [wallet, watched],
  );
}
