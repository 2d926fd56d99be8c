import type { Signer } from "keeplight";
import type { Eip1193Provider } from "keeplight/react";
import { createContext, useContext } from "react";
import type { AppNetwork } from "../network.ts";

/** The signed-in account and its wallet. In memory only. */
export interface Session {
  network: AppNetwork;
  /** Lower case. */
  address: string;
  signer: Signer;
  provider: Eip1193Provider;
  walletName: string;
  disconnect(): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session; available to signed-in screens only. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession works for signed-in screens only");
  return session;
}
