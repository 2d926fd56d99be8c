import { defaultEndpoints, type Endpoints, type PaymentNetwork } from "keeplight";

/** An account of the devnet, whose private key stays on the app's server. */
interface DevnetAccount {
  name: string;
  address: string;
}

/** The network that the app uses. */
export interface AppNetwork {
  /** For display; missing for the public network. */
  name?: string;
  endpoints: Endpoints;
  /** Pause between two calls of key nodes, in milliseconds. Default the kit's. */
  pauseMs?: number;
  /** How to wait for payments, in milliseconds. Default the kit's. */
  polling?: { pollMs: number; missingMs: number };
  /** Only on a local devnet. */
  devnet?: {
    accounts: readonly DevnetAccount[];
    /** Its chain as an entry of the kit's network table, if it runs one. */
    network?: PaymentNetwork;
  };
}

const publicNetwork: AppNetwork = { endpoints: defaultEndpoints };

/** Loads the network that the app's server names; the public one if it names none. */
export async function loadNetwork(): Promise<AppNetwork> {
  const response = await fetch("/network.json").catch(() => undefined);
  const isJson = response?.ok === true && response.headers.get("content-type")?.startsWith("application/json");
  return isJson ? ((await response.json()) as AppNetwork) : publicNetwork;
}
