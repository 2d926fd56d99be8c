import { IDLE_TIMEOUT_MS, SHORT_TIMEOUT_MS, TRANSFER_TIMEOUT_MS } from "./config/limits.ts";
import { KeeplightError } from "./errors/base.ts";
import { invalidOption, unknownOption } from "./errors/input.ts";
import {
  type Check,
  copyInput,
  isOptions,
  json,
  type OptionSchema,
  optional,
  type Resolved,
  resolveOptions,
  signal,
  valueThat,
  wholeNumber,
} from "./operation.ts";

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
export type ResolvedCall = Resolved<typeof callSchema>;

/**
 * Checks the options that every call takes, and fills in their defaults.
 *
 * @param defaultTimeoutMs - milliseconds. Default 8,000
 * @throws `INVALID_OPTION`
 */
export function resolveCall(options: CallOptions, defaultTimeoutMs: number = SHORT_TIMEOUT_MS): ResolvedCall {
  const { signal, timeoutMs = defaultTimeoutMs, idleTimeoutMs, endpoints } = options;
  return resolveOptions(callSchema, { signal, timeoutMs, idleTimeoutMs, endpoints });
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
  // Files for another network do not go to the public one, and nothing is looked for there.
  for (const service of ["walrusUpload", "x402"] as const) {
    if (!(service in endpoints) && resolved.upload !== defaultEndpoints.upload) resolved[service] = resolved.upload;
  }
  if (!("walrusGateway" in endpoints) && "gateway" in endpoints) resolved.walrusGateway = resolved.gateway[0];
  if (!resolved.gateway.includes(resolved.walrusGateway))
    resolved.gateway = [...resolved.gateway, resolved.walrusGateway];
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
  if (apiKey === undefined || apiKey === "")
    throw new KeeplightError("MISSING_API_KEY", "No API key: pass { apiKey }, or bind one with createKit({ apiKey })");
  return checkToken("apiKey", apiKey);
}

/** A bearer that a header can carry: visible ASCII only. The error never repeats the value. */
export const token = valueThat<string>(
  (value) => typeof value === "string" && /^[\x21-\x7e]+$/.test(value),
  "a string of visible ASCII characters without spaces",
);

/** Checks a bearer outside of a schema; see {@link token}. */
export const checkToken = (option: string, value: unknown): string => token(value, option);

/** Base URLs of the network's services, without a trailing slash. */
export interface Endpoints {
  /** API host: accounts, file info, usage, names, proofs. @default that of `defaultEndpoints` */
  api: string;
  /** Upload node: accepts multipart bodies and returns content ids. @default that of `defaultEndpoints` */
  upload: string;
  /**
   * Upload node of the storage class `walrus`.
   *
   * @default `upload`, if only that is set; else that of `defaultEndpoints`
   */
  walrusUpload: string;
  /**
   * Service that stores one file for each payment (x402).
   *
   * @default `upload`, if only that is set; else that of `defaultEndpoints`
   */
  x402: string;
  /** Gateway: serves the bytes of a content id. */
  gateway: string;
  /**
   * Gateway of the storage class `walrus`: read from if `gateway` fails, or does not have the file.
   *
   * @default none, if only `gateway` is set; else that of `defaultEndpoints`
   */
  walrusGateway: string;
  /** Key nodes: one host; nodes 1 to 5 are the last segment of the path. @default that of `defaultEndpoints` */
  keyNodes: string;
}

/** Base URLs that a call may use instead of {@link defaultEndpoints}. */
export interface EndpointOptions extends Partial<Omit<Endpoints, "gateway">> {
  /**
   * One gateway, or several: the first one that works is used. Verified reads need not trust any of them.
   *
   * @default that of `defaultEndpoints`
   */
  gateway?: string | readonly string[];
}

/** Base URLs that a call uses. */
export interface ResolvedEndpoints extends Omit<Endpoints, "gateway"> {
  /** All of them, that of `walrus` included, in the order in which to use them. */
  gateway: readonly [string, ...string[]];
}

/** The public network. */
export const defaultEndpoints = {
  api: "https://api.lighthouse.storage",
  upload: "https://upload.lighthouse.storage",
  walrusUpload: "https://upload-walrus.lighthouse.storage",
  x402: "https://x402-walrus.lighthouse.storage",
  gateway: "https://gateway.lighthouse.storage",
  walrusGateway: "https://gateway-walrus.lighthouse.storage",
  keyNodes: "https://encryption.lighthouse.storage",
} as const satisfies Endpoints;

/**
 * Returns a copy of options that are checked later, by the call that they are passed on to. Anything but an object is
 * returned unchanged, and refused then.
 */
export function copyOptions<Options>(options: Options): Options {
  if (!isOptions(options)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, copyOption(name, value)])) as Options;
}

/** Wallets and journals are recognised by their identity. */
function copyOption(name: string, value: unknown): unknown {
  if (name === "signer" || name === "journal") return value;
  return name === "dynamicData" ? json()(value, name) : copyInput(value, name);
}

/** `never` for a list that is written as `[]`, which no call can use; the length of any other is checked by the call. */
export type NotEmpty<List> = List extends readonly [] ? never : unknown;
