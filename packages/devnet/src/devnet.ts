import type { Endpoints } from "keeplight";
import type { Account } from "./accounts.ts";
import type { Attack } from "./attack.ts";
import type { DevnetChain } from "./chain/chain.ts";
import type { Fault } from "./faults.ts";
import type { LoggedRequest } from "./http/service-server.ts";
import type { Shard } from "./key-nodes/shard-store.ts";

/** A complete network on this machine. */
export interface Devnet {
  /** Base URLs of the services, for the option `endpoints`. */
  endpoints: Endpoints;
  /** Base URLs of the gateways; `endpoints.gateway` is the first. */
  gateways: readonly string[];
  /** The services' certificate in PEM, to be trusted by clients, if the option `tls` is set. */
  certificate?: string;
  /** Base URL of the control service, if the option `control` is set. */
  control?: string;
  /** Five wallets: random ones, or those that the option `accounts` names. */
  accounts: readonly Account[];
  /** Deliberate faults, which can be changed at any time. */
  faults: {
    /** Adds a fault and returns a function that removes it. Throws `INVALID_OPTION` if it is invalid. */
    add(fault: Fault): () => void;
    /** Removes all faults. */
    clear(): void;
  };
  /** Attacks by the network itself, which can be changed at any time. */
  attacks: {
    /** Adds an attack and returns a function that removes it. Throws `INVALID_OPTION` if it is invalid. */
    add(attack: Attack): () => void;
    /** Removes all attacks. */
    clear(): void;
    /** Returns what colluding key nodes know of a file's key: the shards that these nodes (1 to 5) store. */
    readShards(cid: string, nodes: readonly number[]): Shard[];
  };
  /** Stops key node `node` (1 to 5): its connections are reset, its data stays. */
  stopNode(node: number): void;
  /** Restarts a stopped key node. */
  startNode(node: number): void;
  /**
   * Changes how many bytes each account may store in a storage class, as when a plan ends; what is stored stays. That of
   * `annual` is what the option `dataLimit` sets. Throws `INVALID_OPTION` if it is invalid.
   */
  setDataLimit(storage: "annual" | "lifetime" | "walrus", bytes: number): void;
  /** Sets the price of one whole coin, in USD. Throws `INVALID_OPTION` unless it is a number above 0. */
  setTicker(symbol: string, usd: number): void;
  /**
   * Sets the price of the service that is paid per upload, in USD per encoded MiB and year, at first 0.0005. Throws
   * `INVALID_OPTION` if it is invalid.
   */
  setUploadPrice(usdPerMiB: number): void;
  /** Returns the latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
  /** The EVM node, if the option `chain` is set. */
  chain?: DevnetChain;
  /** Closes every connection and removes temporary data; further calls have no effect. */
  close(): Promise<void>;
}
