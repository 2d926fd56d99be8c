import type { ResumePayerOptions } from "@keeplight/react";
import { useSession } from "../session/session.ts";
import { useAskWallet } from "../session/wallet-gate.tsx";

/** Returns what asks who pays for payments that are resumed, and how to poll for them; `undefined` if nobody does. */
export function useAskPayer() {
  const { network } = useSession();
  const askWallet = useAskWallet();
  return async () => {
    const own = await askWallet();
    return own && ({ signer: own.wallet.provider, ...network.polling } satisfies ResumePayerOptions);
  };
}
