import http from "node:http";
import https from "node:https";
import { getProxyForUrl } from "proxy-from-env";

interface AgentModule {
  Agent: new (options: http.AgentOptions) => http.Agent;
  globalAgent: http.Agent & { options?: http.AgentOptions };
}

/** By the agent whose settings they share, and what they connect to. Cached for their connections and TLS sessions. */
const agents = new WeakMap<http.Agent, Map<string, http.Agent>>();

/**
 * Returns the agent for a request: of the proxy that the environment names for its URL (`https_proxy`, `no_proxy`, …),
 * or Node's global one. A `fresh` one opens a connection for each request: none that the service has closed meanwhile.
 */
export async function agentFor(url: URL, fresh: boolean): Promise<http.Agent> {
  const { Agent, globalAgent }: AgentModule = url.protocol === "https:" ? https : http;
  // A custom agent may do more than keep connections, such as use a proxy of its own.
  if (globalAgent.constructor !== Agent) return globalAgent;
  const proxy = getProxyForUrl(url.href);
  if (proxy === "" && !fresh) return globalAgent;
  const ofGlobal = agents.get(globalAgent) ?? new Map<string, http.Agent>();
  agents.set(globalAgent, ofGlobal);
  const key = `${fresh} ${proxy}`;
  const known = ofGlobal.get(key);
  if (known) return known;
  const options = { ...globalAgent.options, keepAlive: !fresh };
  const agent = proxy === "" ? new Agent(options) : await openProxyAgent(url, proxy, options);
  ofGlobal.set(key, agent);
  return agent;
}

async function openProxyAgent({ protocol }: URL, proxy: string, options: http.AgentOptions): Promise<http.Agent> {
  if (protocol === "http:") return new (await import("http-proxy-agent")).HttpProxyAgent(proxy, options);
  return new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, options);
}
