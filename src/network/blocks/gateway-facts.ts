import { type GatewayHealth, unknownHealth } from "./gateway-health.ts";

/** What is known of a gateway; `undefined` where nothing is known yet. */
export interface GatewayFacts {
  health: GatewayHealth;
  /** Whether it sends single blocks (`?format=raw`). */
  offersRaw?: boolean;
  /** Whether it sends archives (`?format=car`). */
  offersCar?: boolean;
  /** Whether it sends parts of a file (`Range`). */
  offersRanges?: boolean;
  /** Whether it has sent wrong bytes, which a browser's cache may have kept: they may be used for a year. */
  sentWrongBytes?: boolean;
}

/** How many gateways are remembered. */
const MAX_GATEWAYS = 64;

const known = new Map<string, GatewayFacts>();

/** Returns what earlier calls found out about the gateway with this base URL, to be updated. */
export function recallGateway(url: string): GatewayFacts {
  const facts = known.get(url) ?? { health: unknownHealth };
  known.delete(url);
  known.set(url, facts);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_GATEWAYS) break;
    known.delete(oldest);
  }
  return facts;
}
