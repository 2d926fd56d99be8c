import { hedge } from "../async/hedge.ts";
import { isKeeplightError, type KeeplightError, withDetails } from "../errors/base.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { recallGateway } from "./gateway-facts.ts";
import { addDelay, addFailure, addSuccess, getPatience, orderGateways } from "./gateway-health.ts";
import type { ReadCall } from "./read-call.ts";

/** How one gateway did in a call. */
export interface GatewayReport {
  /** Base URL. */
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
  /** Reports how each gateway did until now, in the order of the list. */
  report(): GatewayReport[];
}

export function openGateways(call: ReadCall): Gateways {
  const gateways = call.gateways.map((url) => createGateway(url, recallGateway(url), call));
  const reports = gateways.map(({ url }): GatewayReport => ({ url, used: 0, failed: 0 }));

  async function run<T>(
    at: number,
    work: (gateway: Gateway, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const gateway = gateways[at];
    const report = reports[at];
    if (!gateway || !report) throw new RangeError("There is no such gateway");
    const { facts } = gateway;
    const started = performance.now();
    try {
      const result = await work(gateway, signal);
      facts.health = addSuccess(facts.health, performance.now() - started);
      report.used++;
      return result;
    } catch (error) {
      if (signal.aborted) facts.health = addDelay(facts.health, performance.now() - started);
      else if (!isKeeplightError(error, "UNSUPPORTED")) {
        facts.health = addFailure(facts.health, performance.now());
        report.failed++;
        if (isKeeplightError(error) && report.code !== "CID_MISMATCH") report.code = error.code;
      }
      throw error;
    }
  }

  return {
    async use(work, signal) {
      const order = orderGateways(
        gateways.map(({ facts }) => facts.health),
        performance.now(),
      );
      const works = order.map((at) => ({
        patienceMs: getPatience(gateways[at]?.facts.health),
        run: (end: AbortSignal) => run(at, work, end),
      }));
      try {
        return await hedge(works, signal);
      } catch (error) {
        if (!(error instanceof AggregateError)) throw error;
        throw chooseError(
          error.errors,
          order.map((at) => gateways[at]?.url ?? ""),
        );
      }
    },
    report: () => reports.map((report) => ({ ...report })),
  };
}

/** The error of the gateway that sent wrong bytes, else one that offers what was requested, else any. */
function chooseError(errors: readonly unknown[], urls: readonly string[]): unknown {
  const failures = errors.filter((error): error is KeeplightError => isKeeplightError(error));
  const chosen =
    failures.find(({ code }) => code === "CID_MISMATCH") ??
    failures.find(({ code }) => code !== "UNSUPPORTED") ??
    failures[0];
  if (!chosen || failures.length < errors.length || errors.length === 1) return chosen ?? errors[0];
  const gateways = failures.map(({ code }, at) => ({ url: urls[at], code }));
  return withDetails(chosen, { ...chosen.details, gateways });
}
