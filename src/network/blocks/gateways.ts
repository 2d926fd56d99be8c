import { keepsResponses } from "#platform";
import { hedge } from "../../base/async/parallel.ts";
import { isKeeplightError, type KeeplightError, withDetails } from "../../base/errors/base.ts";
import { explainRefusal } from "../../base/errors/content.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { addSuccess, getPatience, orderGateways, recallGateway } from "./gateway-health.ts";

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
export interface Gateways {
  /**
   * Runs `work` with one gateway after another until it succeeds; `work` verifies what it received. A slow gateway is
   * not waited for: the next one is requested as well.
   *
   * @throws `ABORTED`; if all fail, the error of one of them, with all in `details.gateways`
   */
  use<T>(work: (gateway: Gateway, signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
  /** Lists the gateways in the order in which to use them now, to record how each does. */
  list(): readonly TrackedGateway[];
  /** Reports how each gateway did until now, in the order of the list. */
  report(): GatewayReport[];
}

/** A gateway whose health and results are recorded. */
export type TrackedGateway = ReturnType<typeof trackGateway>;

function trackGateway(gateway: Gateway) {
  const { facts, url } = gateway;
  const { health } = facts;
  const report: GatewayReport = { url, used: 0, failed: 0 };
  return {
    gateway,
    report,
    /** Records that it answered, and how long that took, in milliseconds. */
    addAnswer: (tookMs: number) => addSuccess(health, tookMs),
    /** Records that a request did not end in time for its result to matter. */
    addDelay(tookMs: number): void {
      health.latencyMs = Math.max(health.latencyMs ?? 0, tookMs);
    },
    /** Records that what it sent was right. */
    addSuccess: () => void report.used++,
    addFailure(error: unknown): void {
      // It does what it offers.
      if (isKeeplightError(error, "UNSUPPORTED")) return;
      health.failures++;
      health.failedAt = performance.now();
      report.failed++;
      if (isKeeplightError(error, "CID_MISMATCH")) facts.sentWrongBytes = true;
      if (isKeeplightError(error) && report.code !== "CID_MISMATCH") report.code = error.code;
    },
  };
}

export function openGateways(call: ResolvedCall): Gateways {
  const urls = [...new Set(call.endpoints.gateway)];
  const gateways = urls.map((url) => createGateway(url, recallGateway(url), call)).map(trackGateway);

  function list(): TrackedGateway[] {
    const states = gateways.map(({ gateway }) => gateway.facts.health);
    return orderGateways(states, performance.now()).flatMap((at) => gateways[at] ?? []);
  }

  async function run<T>(
    tracked: TrackedGateway,
    work: (gateway: Gateway, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
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
    async use(work, signal) {
      const order = list();
      const works = order.map((tracked) => ({
        patienceMs: getPatience(tracked.gateway.facts.health),
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
