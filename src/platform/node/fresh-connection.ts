import http from "node:http";
import https from "node:https";

/** Options of axios for a new connection. */
export interface FreshConnection {
  httpAgent?: http.Agent;
  httpsAgent?: http.Agent;
}

interface AgentModule {
  Agent: new (options: http.AgentOptions) => http.Agent;
  globalAgent: http.Agent & { options?: http.AgentOptions };
}

/** By the agent whose settings they share. Cached for their TLS sessions. */
const unpooledAgents = new WeakMap<http.Agent, http.Agent>();

/** Returns agents that open a connection for each request, so that none is used that the service has closed meanwhile. */
export function freshConnection(): FreshConnection {
  return { httpAgent: toUnpooled(http), httpsAgent: toUnpooled(https) };
}

function toUnpooled({ Agent, globalAgent }: AgentModule): http.Agent {
  // A custom agent may do more than keep connections, such as use a proxy.
  if (globalAgent.constructor !== Agent) return globalAgent;
  const known = unpooledAgents.get(globalAgent);
  if (known) return known;
  const agent = new Agent({ ...globalAgent.options, keepAlive: false });
  unpooledAgents.set(globalAgent, agent);
  return agent;
}
