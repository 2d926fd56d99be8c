import { createCache } from "./cache.ts";

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

const known = createCache<GatewayFacts>(MAX_GATEWAYS, () => 1);

/** Returns what earlier calls found out about the gateway with this base URL, to be updated. */
export function recallGateway(url: string): GatewayFacts {
  const facts = known.get(url) ?? { health: { failures: 0, failedAt: 0, latencyMs: undefined } };
  known.set(url, facts);
  return facts;
}

/** What the requests to a gateway have shown of it. */
export interface GatewayHealth {
  /** Failures since the last success. */
  failures: number;
  /** Time of the last failure, in milliseconds. */
  failedAt: number;
  /** How long a block takes, in milliseconds: a moving average. `undefined` until the first one. */
  latencyMs: number | undefined;
}

/** How long a gateway comes after all others once it has failed, in milliseconds; doubled for each further failure. */
const REST_MS = 1_000;
const MAX_REST_MS = 60_000;

/** When a gateway is slow enough to request another one as well: a multiple of its average, in milliseconds. */
const PATIENCE = 3;
const MIN_PATIENCE_MS = 200;
const FIRST_PATIENCE_MS = 1_500;

/** A gateway that takes less is never slow, in milliseconds. */
const MIN_SLOW_MS = 500;

/** Weight of the latest request in the average. */
const WEIGHT = 0.3;

/** Decides in which order gateways are used: as the caller listed them; then slow ones, then those that failed recently. */
export function orderGateways(states: readonly GatewayHealth[], now: number): number[] {
  const quickest = Math.min(...states.map(({ latencyMs }) => latencyMs ?? Number.POSITIVE_INFINITY));
  const order = states.map((state, at) => ({
    at,
    restsUntil: getRestEnd(state, now),
    isSlow: state.latencyMs !== undefined && state.latencyMs > Math.max(MIN_SLOW_MS, PATIENCE * quickest) ? 1 : 0,
  }));
  return order.sort((a, b) => a.restsUntil - b.restsUntil || a.isSlow - b.isSlow || a.at - b.at).map(({ at }) => at);
}

/** Returns 0 for a gateway that does not rest. */
function getRestEnd({ failures, failedAt }: GatewayHealth, now: number): number {
  const end = failures === 0 ? 0 : failedAt + Math.min(REST_MS * 2 ** (failures - 1), MAX_REST_MS);
  return now < end ? end : 0;
}

/** How long to wait for a gateway before another one is requested as well, in milliseconds. */
export function getPatience({ latencyMs }: GatewayHealth): number {
  return latencyMs === undefined ? FIRST_PATIENCE_MS : Math.max(MIN_PATIENCE_MS, PATIENCE * latencyMs);
}

/** Adds a request that took so long. */
export function addSuccess(health: GatewayHealth, tookMs: number): void {
  const { latencyMs = tookMs } = health;
  health.latencyMs = latencyMs + WEIGHT * (tookMs - latencyMs);
  health.failures = 0;
}
