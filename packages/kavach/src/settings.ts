import { defaultEndpoints, type Endpoints, type KeyNodeOptions } from "keeplight";
import { shared } from "keeplight/parts";

// One object each for all copies in a process: ES modules and CommonJS, and those that aliases install.

/**
 * Where `@keeplight/lighthouse-sdk` sends its requests. Read at each call: assigning to it redirects the calls that
 * follow.
 */
export const lighthouseSettings = shared("lighthouse settings", () => ({
  lighthouseAPI: defaultEndpoints.api as string,
  lighthouseNode: defaultEndpoints.upload as string,
  lighthouseWalrusNode: defaultEndpoints.walrusUpload as string,
  lighthouseGateway: defaultEndpoints.gateway as string,
  lighthouseWalrusGateway: "https://gateway-walrus.lighthouse.storage",
  lighthouseBLSNode: defaultEndpoints.keyNodes as string,
  network: "polygon",
}));

/** Where `@keeplight/kavach` sends its requests, and how it paces them. Read at each call. */
export interface KavachSettings {
  /** Base URL of the key nodes; used by nothing but read by programs. */
  lighthouseBLSNode: string;
  /** Base URL of the key nodes. */
  lighthouseAuthNode: string;
  /** Base URL of the key nodes if `isDev` is set. */
  lighthouseBLSNodeDev: string;
  /** Whether to use `lighthouseBLSNodeDev`. */
  isDev: boolean;
  /** Pause between calls to two nodes, in milliseconds. Default 1,000. */
  pauseMs?: number;
  /** Wait between two attempts of one request, in milliseconds. Default 1,000. */
  retryMs?: number;
}

export const kavachSettings = shared<KavachSettings>("kavach settings", () => ({
  lighthouseBLSNode: defaultEndpoints.keyNodes,
  lighthouseAuthNode: defaultEndpoints.keyNodes,
  lighthouseBLSNodeDev: "http://enctest.lighthouse.storage",
  isDev: false,
}));

/** The services that the calls use. */
export function getEndpoints(): Endpoints {
  const settings = lighthouseSettings;
  return {
    api: settings.lighthouseAPI,
    upload: settings.lighthouseNode,
    walrusUpload: settings.lighthouseWalrusNode,
    x402: defaultEndpoints.x402,
    gateway: settings.lighthouseGateway,
    // Other clients read from one gateway.
    walrusGateway: settings.lighthouseGateway,
    keyNodes: getKeyNodes(),
  };
}

/** The key nodes: kavach's, or the SDK's if only those are set. */
function getKeyNodes(): string {
  const { isDev, lighthouseBLSNodeDev, lighthouseAuthNode } = kavachSettings;
  if (isDev) return lighthouseBLSNodeDev;
  return lighthouseAuthNode === defaultEndpoints.keyNodes ? lighthouseSettings.lighthouseBLSNode : lighthouseAuthNode;
}

/** Options of a call to the key nodes. */
export function getKeyNodeOptions(): Pick<KeyNodeOptions, "endpoints" | "pauseMs" | "retryMs"> {
  const { pauseMs, retryMs } = kavachSettings;
  return { endpoints: getEndpoints(), pauseMs, retryMs };
}

/** Whether this is a page: there, progress, sources and decrypted files have another form. Read at each call. */
export function isPage(): boolean {
  return typeof window !== "undefined";
}
