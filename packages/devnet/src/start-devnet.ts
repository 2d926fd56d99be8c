import type { Hono } from "hono";
import { createAccounts } from "./accounts.ts";
import { createApiService } from "./api-service.ts";
import { startChain } from "./chain/chain.ts";
import { createControlService } from "./control/service.ts";
import { createControls } from "./controls.ts";
import type { Devnet } from "./devnet.ts";
import { createFaultBook, type Service } from "./faults.ts";
import { createGatewayService } from "./gateway/service.ts";
import type { ListenAddress } from "./host.ts";
import { issueCertificate } from "./http/certificate.ts";
import type { Env } from "./http/json.ts";
import { createRequestLog, type Gate, serve, serveUngated } from "./http/service-server.ts";
import { createKeyNodesService } from "./key-nodes/service.ts";
import { createNetwork, type Network } from "./network.ts";
import { type DevnetOptions, type ResolvedOptions, resolveOptions } from "./options.ts";
import { makeTemporaryFolder } from "./owned-folder.ts";
import { type DataDir, openDataDir } from "./state/open-data-dir.ts";
import { createMemoryState } from "./state/stored-map.ts";
import { createUploadService } from "./upload/service.ts";
import { createX402Service } from "./x402/service.ts";

const ACCOUNT_COUNT = 5;

/** Stops or removes a resource; cleanups run in reverse order. */
type Cleanup = () => Promise<void>;

/**
 * Starts the complete network on this machine: API host, two upload nodes, a service that is paid per upload, gateway and five
 * key nodes; with the option `chain` an EVM node too.
 *
 * @example
 * ```ts
 * const devnet = await startDevnet();
 * const response = await fetch(`${devnet.endpoints.gateway}/ipfs/${cid}`);
 * await devnet.close();
 * ```
 *
 * @throws DevnetError `INVALID_OPTION` for an unknown option, one out of range, or a port or `dataDir` in use;
 * `UNSUPPORTED` for a chain without anvil.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const resolved = resolveOptions(options);
  const cleanups: Cleanup[] = [];
  const shutDown = async (): Promise<void> => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  };
  try {
    const { dataDir, host, publicHost } = resolved;
    const { path, state, close } = await (dataDir === undefined ? openTemporaryDataDir() : openDataDir(dataDir));
    cleanups.push(close);
    const keyed = createAccounts(resolved.accounts, ACCOUNT_COUNT, state.map("accounts"));
    const accounts = resolved.accounts === "random" ? keyed.map(({ apiKey: _, ...account }) => account) : keyed;
    const chain =
      resolved.chain && (await startChain(resolved.chain, accounts, resolved.unkind, getLastAddress(resolved, 1)));
    if (chain) cleanups.push(chain.stop);
    const network = await createNetwork(resolved, path, chain, state);
    for (const { apiKey, address } of keyed) network.auth.apiKeys.add(apiKey, address);
    const { content, deals, till, stoppedNodes, forgedRequests, settleFaults } = network;
    cleanups.push(
      content.close,
      async () => deals.stop(),
      async () => till.close(),
    );
    const faults = createFaultBook(resolved.faults);
    const log = createRequestLog();
    const certificate = resolved.tls ? issueCertificate(publicHost) : undefined;
    const { endpoints, gateways } = await listen(
      network,
      { host, publicHost, faults, forgedRequests, settleFaults, log, stoppedNodes, certificate },
      cleanups,
    );

    let closed: Promise<void> | undefined;
    const devnet: Devnet = {
      endpoints,
      gateways,
      ...(certificate ? { certificate: certificate.cert } : {}),
      accounts,
      ...createControls(network, faults),
      requests: log.entries,
      ...(chain ? { chain: chain.chain } : {}),
      close() {
        closed ??= shutDown();
        return closed;
      },
    };
    if (!resolved.control) return devnet;
    const address = getLastAddress(resolved, 0);
    const service = await serveUngated(createControlService(devnet, { ...network, accounts: keyed, faults }), address);
    cleanups.push(service.close);
    return { ...devnet, control: service.url };
  } catch (error) {
    await shutDown();
    throw error;
  }
}

/** Where the control service listens, and after it the EVM node: behind all others, even those that are not started. */
function getLastAddress({ host, publicHost, port, gateways }: ResolvedOptions, index: 0 | 1): ListenAddress {
  return { host, publicHost, port: port === 0 ? 0 : port + gateways.length + 5 + index };
}

async function openTemporaryDataDir(): Promise<DataDir> {
  const { path, remove } = await makeTemporaryFolder();
  return { path, state: createMemoryState(), close: remove };
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
