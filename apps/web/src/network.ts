import { defaultEndpoints, type Endpoints, type PaymentNetwork } from "keeplight";
import { AppError } from "./messages/explain-error.ts";

/** An account of the devnet, whose private key stays on the app's server. */
interface DevnetAccount {
  name: string;
  address: string;
}

/** A chain that has ENS names. */
export interface EnsNetwork {
  /** URL of a node's JSON-RPC, which the content security policy has to allow. */
  rpc: string;
  /** What the node has to report. */
  chainId: number;
  /** Address of the Universal Resolver (ENSIP-23). */
  resolver: string;
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
  /** Where ENS names are looked up; without it none are. */
  ens?: EnsNetwork;
  /** Only on a local devnet. */
  devnet?: {
    accounts: readonly DevnetAccount[];
    /** Its chain as an entry of the kit's network table, if it runs one. */
    network?: PaymentNetwork;
  };
}

/** URL of a node of Ethereum. */
export const ETHEREUM_RPC = "https://ethereum-rpc.publicnode.com";

const publicNetwork: AppNetwork = {
  endpoints: defaultEndpoints,
  ens: { rpc: ETHEREUM_RPC, chainId: 1, resolver: "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe" },
};

/**
 * Loads the network that the app's server names; the public one if it names none.
 *
 * @throws {AppError} if the server cannot say which: files for a network of its own must not go to the public one
 */
export async function loadNetwork(): Promise<AppNetwork> {
  const response = await fetch("/network.json").catch(() => {
    throw new AppError(({ errors }) => (navigator.onLine && errors.byCode.NETWORK) || errors.offline);
  });
  const { ok, status, headers } = response;
  // Also what the worker keeps for a start without a network.
  if (status >= 429) {
    throw new AppError(({ errors }) => ({ title: errors.serviceProblem, advice: errors.serviceStatus(status) }));
  }
  const isJson = ok && headers.get("content-type")?.startsWith("application/json");
  return isJson ? ((await response.json()) as AppNetwork) : publicNetwork;
}
