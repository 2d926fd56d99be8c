import { keepsResponses } from "#platform";
import { hedge } from "../../base/async/parallel.ts";
import { isKeeplightError, type KeeplightError, withDetails } from "../../base/errors/base.ts";
import { explainRefusal } from "../../base/errors/content.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { createGateway, type Gateway, type GatewayFacts } from "./gateway.ts";

/** How one gateway did in a call. */
export interface GatewayReport {
  /** Base URL, without credentials. */
  url: string;
  /** How many requests it answered with the right bytes. */
  used: number;
  /** How many of its requests failed. */
  failed: number;
  /** Code of its worst failure; `CID_MISMATCH` if it sent wrong bytes. */
  code?: string;
}

/** Several gateways, none of which is trusted. */
export type Gateways = ReturnType<typeof openGateways>;

type GatewayWork<T> = (gateway: Gateway, signal: AbortSignal) => Promise<T>;

/** A gateway whose health and results are recorded. */
export type TrackedGateway = ReturnType<typeof trackGateway>;

function trackGateway(gateway: Gateway) {
  const { facts, url } = gateway;
  const report: GatewayReport = { url, used: 0, failed: 0 };
  return {
    gateway,
    report,
    /** Records that it answered, and how long that took, in milliseconds. */
    addAnswer(tookMs: number): void {
      const { latencyMs = tookMs } = facts;
      facts.latencyMs = latencyMs + WEIGHT * (tookMs - latencyMs);
      facts.failures = 0;
    },
    /** Records that a request did not end in time for its result to matter. */
    addDelay(tookMs: number): void {
      facts.latencyMs = Math.max(facts.latencyMs ?? 0, tookMs);
    },
    /** Records that what it sent was right. */
    addSuccess: () => void report.used++,
    addFailure(error: unknown): void {
      // It does what it offers.
      if (isKeeplightError(error, "UNSUPPORTED")) return;
      facts.failures++;
      facts.failedAt = performance.now();
      report.failed++;
      if (isKeeplightError(error, "CID_MISMATCH")) facts.sentWrongBytes = true;
      if (isKeeplightError(error) && report.code !== "CID_MISMATCH") report.code = error.code;
    },
  };
}

export function openGateways(call: ResolvedCall) {
  const urls = [...new Set(call.endpoints.gateway)];
  const gateways = urls.map((url) => createGateway(url, recallGateway(url), call)).map(trackGateway);

  /** Lists the gateways in the order in which to use them now, to record how each does. */
  function list(): TrackedGateway[] {
    return orderGateways(gateways, performance.now());
  }

  async function run<T>(tracked: TrackedGateway, work: GatewayWork<T>, signal: AbortSignal): Promise<T> {
    const started = performance.now();
    try {
      const result = await work(tracked.gateway, signal);
      tracked.addAnswer(performance.now() - started);
      tracked.addSuccess();
      return result;
    } catch (error) {
      const { facts } = tracked.gateway;
      const mayBeCached = keepsResponses && !facts.sentWrongBytes && isKeeplightError(error, "CID_MISMATCH");
      if (signal.aborted) tracked.addDelay(performance.now() - started);
      else tracked.addFailure(error);
      if (mayBeCached && !signal.aborted) return run(tracked, work, signal);
      throw error;
    }
  }

  return {
    list,
    /**
     * Runs `work` with one gateway after another until it succeeds; `work` verifies what it received. A slow gateway is
     * not waited for: the next one is requested as well.
     *
     * @throws `ABORTED`; if all fail, the error of one of them, with all in `details.gateways`
     */
    async use<T>(work: GatewayWork<T>, signal: AbortSignal | undefined): Promise<T> {
      const order = list();
      const works = order.map((tracked) => ({
        patienceMs: getPatience(tracked.gateway.facts),
        run: (end: AbortSignal) => run(tracked, work, end),
      }));
      try {
        return await hedge(works, signal);
      } catch (error) {
        if (!(error instanceof AggregateError)) throw error;
        throw explainRefusal(
          chooseError(order.map(({ gateway }, at) => ({ url: gateway.url, error: error.errors[at] }))),
        );
      }
    },
    /** Reports how each gateway did until now, in the order of the list. */
    report: () => gateways.map(({ report }) => ({ ...report })),
  };
}

/**
 * The error of the gateway that sent wrong bytes, or bytes that nothing proves, else one that offers what was requested, else
 * any.
 */
export function chooseError(failed: readonly { url: string; error: unknown }[]): unknown {
  const errors = failed.map(({ error }) => error);
  const failures = errors.filter((error): error is KeeplightError => isKeeplightError(error));
  const chosen =
    failures.find(({ code }) => code === "CID_MISMATCH") ??
    failures.find(({ code }) => code === "NOT_VERIFIED") ??
    failures.find(({ code }) => code !== "UNSUPPORTED") ??
    failures[0];
  if (!chosen || failures.length < errors.length || errors.length === 1) return chosen ?? errors[0];
  const gateways = failures.map(({ code, details: { status } }, at) => ({
    url: failed[at]?.url,
    code,
    ...(code === "HTTP_STATUS" && { status }),
  }));
  return withDetails(chosen, { ...chosen.details, gateways });
}

/** How many gateways are remembered. */
const MAX_GATEWAYS = 64;

/** The latest ones last. */
const known = new Map<string, GatewayFacts>();

/** Returns what earlier calls found out about the gateway with this base URL, to be updated. */
function recallGateway(url: string): GatewayFacts {
  const facts = known.get(url) ?? { failures: 0, failedAt: 0 };
  known.delete(url);
  known.set(url, facts);
  for (const oldest of [...known.keys()].slice(0, -MAX_GATEWAYS)) known.delete(oldest);
  return facts;
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

/** Sorts gateways into the order of use: as the caller listed them; then slow ones, then those that failed recently. */
function orderGateways(gateways: readonly TrackedGateway[], now: number): TrackedGateway[] {
  const quickest = Math.min(...gateways.map(({ gateway }) => gateway.facts.latencyMs ?? Number.POSITIVE_INFINITY));
  const slowFrom = Math.max(MIN_SLOW_MS, PATIENCE * quickest);
  const isSlow = ({ gateway }: TrackedGateway) => Number((gateway.facts.latencyMs ?? 0) > slowFrom);
  const restsUntil = ({ gateway }: TrackedGateway) => getRestEnd(gateway.facts, now);
  return [...gateways].sort((a, b) => restsUntil(a) - restsUntil(b) || isSlow(a) - isSlow(b));
}

/** Returns 0 for a gateway that does not rest. */
function getRestEnd({ failures, failedAt }: GatewayFacts, now: number): number {
  const end = failures === 0 ? 0 : failedAt + Math.min(REST_MS * 2 ** (failures - 1), MAX_REST_MS);
  return now < end ? end : 0;
}

/** How long to wait for a gateway before another one is requested as well, in milliseconds. */
function getPatience({ latencyMs }: GatewayFacts): number {
  return latencyMs === undefined ? FIRST_PATIENCE_MS : Math.max(MIN_PATIENCE_MS, PATIENCE * latencyMs);
}
