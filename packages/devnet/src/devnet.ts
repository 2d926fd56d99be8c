import type { Hono } from "hono";
import type { Endpoints } from "keeplight";
import { type Account, createAccounts } from "./accounts.ts";
import { createApiService } from "./api-service.ts";
import type { Attack } from "./attack.ts";
import { type DevnetChain, startChain } from "./chain/chain.ts";
import { invalidDevnetOption, isAtLeast, oneOf, required } from "./check-options.ts";
import { limitedClasses } from "./content/storage-class.ts";
import { createFaultBook, type Fault, type Service } from "./faults.ts";
import { createGatewayService } from "./gateway/service.ts";
import { issueCertificate } from "./http/certificate.ts";
import type { Env } from "./http/json.ts";
import { createRequestLog, type Gate, type LoggedRequest, serve } from "./http/service-server.ts";
import { createKeyNodesService } from "./key-nodes/service.ts";
import { NODE_COUNT, type Shard } from "./key-nodes/shard-store.ts";
import { createNetwork, type Network } from "./network.ts";
import { type DevnetOptions, resolveOptions } from "./options.ts";
import { makeTemporaryFolder } from "./owned-folder.ts";
import { createUploadService } from "./upload/service.ts";
import { createX402Service } from "./x402/service.ts";

const ACCOUNT_COUNT = 5;

/** Stops or removes a resource; cleanups run in reverse order. */
type Cleanup = () => Promise<void>;

/** A complete network on this machine. */
export interface Devnet {
  /** Base URLs of the services, for the option `endpoints`. */
  endpoints: Endpoints;
  /** Base URLs of the gateways; `endpoints.gateway` is the first. */
  gateways: readonly string[];
  /** The services' certificate in PEM, to be trusted by clients, if the option `tls` is set. */
  certificate?: string;
  /** Random wallets. */
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
  /** Sets the price of one whole coin, in USD. */
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

/**
 * Starts the complete network on 127.0.0.1: API host, two upload nodes, a service that is paid per upload, gateway and five
 * key nodes; with the option `chain` an EVM node too.
 *
 * @example
 * ```ts
 * const devnet = await startDevnet();
 * const response = await fetch(`${devnet.endpoints.gateway}/ipfs/${cid}`);
 * await devnet.close();
 * ```
 *
 * @throws DevnetError `INVALID_OPTION` for an unknown option, one out of range or a port in use; `UNSUPPORTED` for a
 * chain without anvil.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const resolved = resolveOptions(options);
  const accounts = createAccounts(ACCOUNT_COUNT);
  const cleanups: Cleanup[] = [];
  const shutDown = async (): Promise<void> => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  };
  try {
    const dataDir = resolved.dataDir ?? (await createTemporaryDataDir(cleanups));
    const chain = resolved.chain && (await startChain(resolved.chain, accounts, resolved.unkind));
    if (chain) cleanups.push(chain.stop);
    const network = await createNetwork(resolved, dataDir, chain);
    const { content, deals, till, stoppedNodes, forgedRequests, settleFaults, attacks, shardStores } = network;
    cleanups.push(
      content.close,
      async () => deals.stop(),
      async () => till.close(),
    );
    const faults = createFaultBook(resolved.faults);
    const log = createRequestLog();
    const certificate = resolved.tls ? issueCertificate() : undefined;
    const { endpoints, gateways } = await listen(
      network,
      { faults, forgedRequests, settleFaults, log, stoppedNodes, certificate },
      cleanups,
    );

    let closed: Promise<void> | undefined;
    return {
      endpoints,
      gateways,
      ...(certificate ? { certificate: certificate.cert } : {}),
      accounts,
      faults: { add: faults.add, clear: faults.clear },
      attacks: {
        add: attacks.add,
        clear: attacks.clear,
        readShards: (cid, nodes) => nodes.flatMap((node) => shardStores[checkNode(node) - 1]?.get(cid)?.shard ?? []),
      },
      stopNode: (node) => void stoppedNodes.add(checkNode(node)),
      startNode: (node) => void stoppedNodes.delete(checkNode(node)),
      setDataLimit(storage, bytes) {
        oneOf(limitedClasses)("storage", storage);
        required(isAtLeast(0), "a number from 0 up")("bytes", bytes);
        network.limits[storage] = bytes;
      },
      setTicker: (symbol, usd) => void network.tickers.set(symbol.toUpperCase(), usd),
      setUploadPrice(usdPerMiB) {
        required((usd) => Number.isFinite(usd) && isAtLeast(0)(usd), "a number from 0 up")("usdPerMiB", usdPerMiB);
        till.usdPerMiB = usdPerMiB;
      },
      requests: log.entries,
      ...(chain ? { chain: chain.chain } : {}),
      close() {
        closed ??= shutDown();
        return closed;
      },
    };
  } catch (error) {
    await shutDown();
    throw error;
  }
}

async function createTemporaryDataDir(cleanups: Cleanup[]): Promise<string> {
  const { path, remove } = await makeTemporaryFolder();
  cleanups.push(remove);
  return path;
}

/** Starts the services on consecutive ports; `cleanups` contains those that listen, even if a later one fails. */
async function listen(network: Network, gate: Gate, cleanups: Cleanup[]) {
  let { port } = network.options;
  const start = async (service: Service, app: Hono<Env>, gateway?: number): Promise<string> => {
    const { url, close } = await serve({ service, gateway }, app, port, gate);
    cleanups.push(close);
    if (port !== 0) port++;
    return url;
  };
  const first = {
    api: await start("api", createApiService(network)),
    upload: await start("upload", createUploadService(network)),
    gateway: await start("gateway", createGatewayService(network), 0),
    keyNodes: await start("keyNodes", createKeyNodesService(network)),
  };
  const gateways = [first.gateway];
  for (let index = 1; index < network.options.gateways.length; index++) {
    gateways.push(await start("gateway", createGatewayService(network, index), index));
  }
  const walrusUpload = await start("walrusUpload", createUploadService(network, "walrus"));
  const x402 = await start("x402", createX402Service(network, first.gateway));
  return { endpoints: { ...first, walrusUpload, walrusGateway: first.gateway, x402 }, gateways };
}

function checkNode(node: number): number {
  if (Number.isInteger(node) && node >= 1 && node <= NODE_COUNT) return node;
  throw invalidDevnetOption(`There is no key node ${node}`, { node });
}
