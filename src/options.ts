import { defaultEndpoints, type Endpoints } from "./config/endpoints.ts";
import { IDLE_TIMEOUT_MS, SHORT_TIMEOUT_MS } from "./config/limits.ts";
import { invalidOption, missingApiKey, unknownOption } from "./errors/input.ts";
import { isOptions } from "./validation/check-options.ts";
import { wholeNumber } from "./validation/number.ts";

/** Options that every call takes. */
export interface CallOptions {
  /** Ends the call: it rejects within 100 ms with code `ABORTED` and leaves nothing running. */
  signal?: AbortSignal | undefined;
  /** Time limit of each request, in milliseconds. Default 8,000; uploads and downloads 7,200,000. */
  timeoutMs?: number | undefined;
  /**
   * How long the other side may send and take nothing while a file is transferred, in milliseconds; a gateway's first
   * byte counts, the upload node's answer to a file that was sent does not. Default 120,000.
   */
  idleTimeoutMs?: number | undefined;
  /** Base URLs to use instead of the public network's; those left out keep their default. */
  endpoints?: Partial<Endpoints> | undefined;
}

export const callOptionNames = "signal,timeoutMs,idleTimeoutMs,endpoints";

/** Options of calls that act for an account. */
export interface BearerOptions extends CallOptions {
  /** API key, JWT or one-time token (`address$signature`), sent as `Authorization: Bearer`. */
  apiKey?: string | undefined;
}

export const bearerOptionNames = [callOptionNames, "apiKey"] as const;

/** {@link CallOptions} with nothing left open. */
export interface ResolvedCall {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  idleTimeoutMs: number;
  endpoints: Endpoints;
}

/**
 * Fills in the defaults.
 *
 * @throws `INVALID_OPTION`
 */
export function resolveCall(options: CallOptions, defaultTimeoutMs: number = SHORT_TIMEOUT_MS): ResolvedCall {
  return {
    signal: options.signal,
    timeoutMs: wholeNumber("timeoutMs", options.timeoutMs, defaultTimeoutMs, 1),
    idleTimeoutMs: wholeNumber("idleTimeoutMs", options.idleTimeoutMs, IDLE_TIMEOUT_MS, 1),
    endpoints: resolveEndpoints(options.endpoints),
  };
}

/** Anything but an object of base URLs is refused: to pass over a wrong one would be to use the public network. */
function resolveEndpoints(given: unknown = {}): Endpoints {
  if (!isOptions(given)) throw invalidOption("endpoints", "an object of base URLs { api, upload, gateway, keyNodes }");
  const services = Object.keys(defaultEndpoints) as (keyof Endpoints)[];
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(defaultEndpoints, name));
  if (unknown !== undefined) throw unknownOption(unknown, services, "endpoints.");
  const resolved: Endpoints = { ...defaultEndpoints };
  for (const service of services) {
    // Those that a class or a prototype holds count, too.
    if (!(service in given)) continue;
    const url = (given as Partial<Endpoints>)[service];
    if (!isBaseUrl(url)) throw invalidOption(`endpoints.${service}`, "an http or https URL without query and fragment");
    resolved[service] = url;
  }
  return resolved;
}

function isBaseUrl(url: unknown): url is string {
  try {
    return typeof url === "string" && BASE_URL.test(url) && new URL(url).host !== "";
  } catch {
    return false;
  }
}

/** Paths are put behind it, so that a query has no place in it. */
const BASE_URL = /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/i;

/** The bearer of a call that needs one; throws `MISSING_API_KEY`, or `INVALID_OPTION` for one no header can carry. */
export function requireApiKey(options: BearerOptions): string {
  if (options.apiKey === undefined || options.apiKey === "") throw missingApiKey();
  return checkToken("apiKey", options.apiKey);
}

/** A bearer goes into a header: visible ASCII only. The value itself is never repeated. */
export function checkToken(option: string, token: unknown): string {
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw invalidOption(option, "a string of visible ASCII characters without spaces");
  }
  return token;
}
