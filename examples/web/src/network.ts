import { defaultEndpoints, type Endpoints, type PaymentNetwork } from "keeplight";

/** A wallet of the devnet, whose private key stays with the server that started it. */
interface DevnetAccount {
  name: string;
  address: string;
}

/** Which network the app talks to. */
export interface AppNetwork {
  /** For people. */
  name: string;
  endpoints: Endpoints;
  /** Wait between two key nodes, in milliseconds; the kit's default where missing. */
  pauseMs?: number;
  /** Present on a network of one's own machine only. */
  devnet?: {
    accounts: readonly DevnetAccount[];
    /** Its own chain as a row of the kit's table, where it has one. */
    network?: PaymentNetwork;
  };
}

const publicNetwork: AppNetwork = { name: "Public network", endpoints: defaultEndpoints };

/** The network that the app's server says it runs on; the public one where it says nothing. */
export async function loadNetwork(): Promise<AppNetwork> {
  const answer = await fetch("/network.json").catch(() => undefined);
  const isJson = answer?.ok === true && answer.headers.get("content-type")?.startsWith("application/json");
  return isJson ? ((await answer.json()) as AppNetwork) : publicNetwork;
}
