import { optional, signal, wholeNumber } from "./checks.ts";
import { defaultEndpoints, type EndpointOptions, type Endpoints, type ResolvedEndpoints } from "./config/endpoints.ts";
import { IDLE_TIMEOUT_MS, SHORT_TIMEOUT_MS, TRANSFER_TIMEOUT_MS } from "./config/limits.ts";
import { invalidOption, missingApiKey, unknownOption } from "./errors/input.ts";
import { type Check, isOptions, type OptionSchema } from "./operation.ts";

/** `Options`, each of which may be left out or undefined. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };

/** Options that every call takes. */
export interface CallOptions {
  /** Ends the call: it rejects within 100 ms with code `ABORTED` and leaves nothing running. @default none */
  signal?: AbortSignal | undefined;
  /** Time limit of each request, in milliseconds. @default 8,000; uploads and downloads 7,200,000 */
  timeoutMs?: number | undefined;
  /**
   * How long the peer may be silent while a file is transferred, in milliseconds; this includes the wait for a
   * gateway's first byte, not for the upload node's response to a sent file.
   *
   * @default 120,000
   */
  idleTimeoutMs?: number | undefined;
  /**
   * Base URLs to use instead of the public network's; those left out keep their default.
   *
   * @default `defaultEndpoints`
   */
  endpoints?: EndpointOptions | undefined;
}

/** Checks the options that every call takes. */
export const callSchema = {
  signal,
  timeoutMs: wholeNumber(SHORT_TIMEOUT_MS, 1),
  idleTimeoutMs: wholeNumber(IDLE_TIMEOUT_MS, 1),
  endpoints: resolveEndpoints,
} satisfies OptionSchema<CallOptions>;

/** The same for calls that transfer files. */
export const transferSchema = {
  ...callSchema,
  timeoutMs: wholeNumber(TRANSFER_TIMEOUT_MS, 1),
} satisfies OptionSchema<CallOptions>;

/** The same for calls that do both, with one time limit for transfers and another for what else they request. */
export const mixedSchema = {
  ...callSchema,
  timeoutMs: optional(wholeNumber(SHORT_TIMEOUT_MS, 1)),
} satisfies OptionSchema<CallOptions>;

/** Options of calls that act for an account. */
export interface BearerOptions extends CallOptions {
  /** API key, JWT or one-time token (`address$signature`), sent as `Authorization: Bearer`. @default none */
  apiKey: string;
}

/** Checks the options of calls that act for an account. */
export const bearerSchema = {
  ...callSchema,
  apiKey: (value) => requireApiKey({ apiKey: value as string | undefined }),
} satisfies OptionSchema<BearerOptions>;

/** {@link CallOptions} with all defaults filled in. */
export interface ResolvedCall {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  idleTimeoutMs: number;
  endpoints: ResolvedEndpoints;
}

/**
 * Checks the options that every call takes, and fills in their defaults.
 *
 * @param defaultTimeoutMs - milliseconds. Default 8,000
 * @throws `INVALID_OPTION`
 */
export function resolveCall(options: CallOptions, defaultTimeoutMs: number = SHORT_TIMEOUT_MS): ResolvedCall {
  return {
    signal: options.signal,
    timeoutMs: wholeNumber(defaultTimeoutMs, 1)(options.timeoutMs, "timeoutMs"),
    idleTimeoutMs: wholeNumber(IDLE_TIMEOUT_MS, 1)(options.idleTimeoutMs, "idleTimeoutMs"),
    endpoints: resolveEndpoints(options.endpoints),
  };
}

/** Endpoints for other calls, which resolve them: those that are left out stay out, and a list of gateways whole. */
export const checkEndpoints: Check<EndpointOptions | undefined> = (value) => {
  resolveEndpoints(value);
  return value as EndpointOptions | undefined;
};

/** Refuses anything but an object of base URLs: ignoring an invalid one would use the public network instead. */
function resolveEndpoints(endpoints: unknown = {}): ResolvedEndpoints {
  if (!isOptions(endpoints))
    throw invalidOption("endpoints", "an object of base URLs { api, upload, gateway, keyNodes }");
  const services = Object.keys(defaultEndpoints) as (keyof Endpoints)[];
  const unknown = Object.keys(endpoints).find((name) => !Object.hasOwn(defaultEndpoints, name));
  if (unknown !== undefined) throw unknownOption(unknown, services, "endpoints.");
  const resolved: ResolvedEndpoints = { ...defaultEndpoints, gateway: [defaultEndpoints.gateway] };
  for (const service of services) {
    // `in` includes those that a class or a prototype holds.
    if (!(service in endpoints)) continue;
    const value: unknown = (endpoints as EndpointOptions)[service];
    const urls: readonly unknown[] = service === "gateway" && Array.isArray(value) ? value : [value];
    const valid = urls.filter(isBaseUrl);
    const [url, ...others] = valid;
    if (url === undefined || valid.length < urls.length) {
      throw invalidOption(`endpoints.${service}`, "an http or https URL without query and fragment");
    }
    if (service === "gateway") resolved.gateway = [url, ...others];
    else resolved[service] = url;
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

/** Paths are appended to it, so it has no query. */
const BASE_URL = /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/i;

/** Returns the bearer of a call; throws `MISSING_API_KEY`, or `INVALID_OPTION` for one that no header can carry. */
export function requireApiKey({ apiKey }: Optional<BearerOptions>): string {
  if (apiKey === undefined || apiKey === "") throw missingApiKey();
  return checkToken("apiKey", apiKey);
}

/** A bearer. */
export const token: Check<string> = (value, name) => checkToken(name, value);

/** Refuses a bearer that no header can carry: visible ASCII only. The error never repeats the value. */
export function checkToken(option: string, token: unknown): string {
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw invalidOption(option, "a string of visible ASCII characters without spaces");
  }
  return token;
}
