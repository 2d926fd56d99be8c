import type { Hono } from "hono";
import type { Endpoints } from "../config/endpoints.ts";
import { KeeplightError } from "../errors/base.ts";
import { apiService } from "./api/service.ts";
import { type Account, createAccounts } from "./auth/accounts.ts";
import { type DevnetChain, startChain } from "./chain/chain.ts";
import type { Fault, Service } from "./faults/fault.ts";
import { createFaultBook } from "./faults/fault-book.ts";
import { gatewayService } from "./gateway/service.ts";
import type { Env } from "./http/json.ts";
import { createRequestLog, type LoggedRequest } from "./http/request-log.ts";
import { type Gate, serve } from "./http/service-server.ts";
import { keyNodesService } from "./key-nodes/service.ts";
import { createNetwork, type Network, NODE_COUNT } from "./network.ts";
import { type DevnetOptions, resolveOptions } from "./options.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";
import { uploadService } from "./upload/service.ts";

const ACCOUNT_COUNT = 5;

/** Ends or removes something that was started or made; the last one made goes first. */
type Cleanup = () => Promise<void>;

/** A whole network on this machine. */
export interface Devnet {
  /** Base URLs of the services, to be passed as `endpoints`. */
  endpoints: Endpoints;
  /** Fresh wallets. */
  accounts: readonly Account[];
  /** What is broken on purpose, while it runs. */
  faults: {
    /** Breaks something; the function that comes back mends it. Throws `INVALID_OPTION` for a fault that is none. */
    add(fault: Fault): () => void;
    /** Mends everything. */
    clear(): void;
  };
  /** Makes key node `node` (1 to 5) look like a dead connection; what it keeps stays. */
  stopNode(node: number): void;
  /** Brings a stopped key node back. */
  startNode(node: number): void;
  /** Sets what one whole coin costs, in USD. */
  setTicker(symbol: string, usd: number): void;
  /** The latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
  /** The EVM node, where the option `chain` asked for one. */
  chain?: DevnetChain;
  /** Ends every connection and removes temporary data; calling it again changes nothing. */
  close(): Promise<void>;
}

/**
 * Starts the whole network on 127.0.0.1: API host, upload node, gateway and five key nodes; with the option
 * `chain` an EVM node as well.
 *
 * @example
 * ```ts
 * const devnet = await startDevnet();
 * const response = await fetch(`${devnet.endpoints.gateway}/ipfs/${cid}`);
 * await devnet.close();
 * ```
 *
 * @throws KeeplightError `INVALID_OPTION` for an unknown option, one out of range or a port that is taken; `UNSUPPORTED` for a
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
    const dataDir = resolved.dataDir ?? (await temporaryDataDir(cleanups));
    const chain = resolved.chain && (await startChain(resolved.chain, accounts));
    if (chain) cleanups.push(chain.stop);
    const network = await createNetwork(resolved, dataDir, chain);
    const { content, deals, stoppedNodes, liars } = network;
    cleanups.push(content.settled, async () => deals.stop());
    const faults = createFaultBook(resolved.faults);
    const log = createRequestLog();
    const endpoints = await listen(network, { faults, liars, log, stoppedNodes, nodeCount: NODE_COUNT }, cleanups);

    let closed: Promise<void> | undefined;
    return {
      endpoints,
      accounts,
      faults: { add: faults.add, clear: faults.clear },
      stopNode: (node) => void stoppedNodes.add(checkNode(node)),
      startNode: (node) => void stoppedNodes.delete(checkNode(node)),
      setTicker: (symbol, usd) => void network.tickers.set(symbol.toUpperCase(), usd),
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

async function temporaryDataDir(cleanups: Cleanup[]): Promise<string> {
  const { path, remove } = await makeTemporaryFolder();
  cleanups.push(remove);
  return path;
}

/** Starts the four services on ports in a row; those that listen are in `cleanups` also if one fails. */
async function listen(network: Network, gate: Gate, cleanups: Cleanup[]): Promise<Endpoints> {
  let { port } = network.options;
  const start = async (service: Service, app: Hono<Env>): Promise<string> => {
    const { url, close } = await serve(service, app, port, gate);
    cleanups.push(close);
    if (port !== 0) port++;
    return url;
  };
  return {
    api: await start("api", apiService(network)),
    upload: await start("upload", uploadService(network)),
    gateway: await start("gateway", gatewayService(network)),
    keyNodes: await start("keyNodes", keyNodesService(network)),
  };
}

function checkNode(node: number): number {
  if (Number.isInteger(node) && node >= 1 && node <= NODE_COUNT) return node;
  throw new KeeplightError("INVALID_OPTION", `There is no key node ${node}`, { details: { node } });
}
