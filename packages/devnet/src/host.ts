import { isIP, isIPv4, isIPv6 } from "node:net";

/** Where services listen, and the host of their URLs. */
export interface Address {
  /** The address that they bind to. */
  host: string;
  /** As in a URL. */
  publicHost: string;
}

/** Where one of them listens. */
export interface ListenAddress extends Address {
  /** 0 for a free port. */
  port: number;
}

/** Names of this machine for its own programs, as in a URL. */
const loopback: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Hosts of URLs for the addresses that stand for all of a machine's. */
const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "[::]": "localhost" };

/** Whether a value is an IP address or a host name, without a port. */
export function isHost(value: unknown): boolean {
  if (typeof value !== "string" || value.length > 253) return false;
  const isName = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(value);
  return (isName || isIP(value) !== 0) && URL.canParse(`http://${toUrlHost(value)}`);
}

/** Returns a host as URLs have it: in lower case, an IPv6 address in brackets and as short as it gets. */
export function normalizeHost(host: string): string {
  return new URL(`http://${toUrlHost(host)}`).hostname;
}

function toUrlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** Returns the host of URLs that lead to `host` from this machine: one that stands for all addresses is none. */
export function getLocalHost(host: string): string {
  const normalized = normalizeHost(host);
  return wildcards[normalized] ?? normalized;
}

/** Whether only this machine reaches what listens on `host`. */
function isLoopback(host: string): boolean {
  const normalized = normalizeHost(host);
  return loopback.includes(normalized) || (isIPv4(normalized) && normalized.startsWith("127."));
}

/**
 * Creates a check of the host in a URL: whether it names this devnet, and no page elsewhere can have it. Beyond loopback a
 * devnet does not know all of its names: there an IP address, or a name without a dot, is one of them.
 */
export function createHostCheck({ host, publicHost }: Address): (hostname: string) => boolean {
  const own = new Set([...loopback, normalizeHost(host), publicHost]);
  const isExposed = !isLoopback(host);
  const isLocalName = (hostname: string) => isIPv4(hostname) || !hostname.includes(".");
  return (hostname) => own.has(hostname) || (isExposed && isLocalName(hostname));
}
