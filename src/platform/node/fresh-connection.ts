import http from "node:http";
import https from "node:https";

/** What axios takes to use a connection that nobody used before. */
export interface FreshConnection {
  httpAgent?: http.Agent;
  httpsAgent?: http.Agent;
}

interface AgentModule {
  Agent: new (options: http.AgentOptions) => http.Agent;
  globalAgent: http.Agent & { options?: http.AgentOptions };
}

/** By the agent whose settings they share. Kept for the sessions of TLS that they remember. */
const unpooledAgents = new WeakMap<http.Agent, http.Agent>();

/** Agents that open a connection for each request, so that none is used that the service has closed meanwhile. */
export function freshConnection(): FreshConnection {
  return { httpAgent: unpooled(http), httpsAgent: unpooled(https) };
}

function unpooled({ Agent, globalAgent }: AgentModule): http.Agent {
  // One that somebody has put there may do more than keep connections, such as lead them through a proxy.
  if (globalAgent.constructor !== Agent) return globalAgent;
  const known = unpooledAgents.get(globalAgent);
  if (known) return known;
  const agent = new Agent({ ...globalAgent.options, keepAlive: false });
  unpooledAgents.set(globalAgent, agent);
  return agent;
}
