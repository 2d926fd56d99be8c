import { type Check, invalidOption, isOptions, resolveChanges } from "keeplight/parts";
import { uploadRefused } from "./errors.ts";
import type { OpenForm, UploadForm } from "./form.ts";
import { limitSchema, type ResolvedLimits, type UploadLimits } from "./limits.ts";

/**
 * What `authorize` decides: `true` or limits of one's own, which replace those of the handler, let the upload in. `false`
 * refuses it with 403, a response as it is, for example 401.
 */
export type Authorization = boolean | Response | UploadLimits;

/** Decides whether a request may upload, and how much. */
export type Authorize = (request: Request, form: UploadForm) => Authorization | Promise<Authorization>;

/** The texts that come with an upload. */
export type FormFields = Pick<OpenForm, "fields" | "failure">;

/**
 * Resolves what `authorize` decides.
 *
 * @throws `UPLOAD_REFUSED`, what reading the form's fields throws; `INVALID_OPTION` for a decision that is none; an error
 * whose cause is what `authorize` threw
 */
export async function decideAccess(
  authorize: Authorize,
  request: Request,
  form: FormFields,
  limits: ResolvedLimits,
): Promise<ResolvedLimits | Response> {
  const decision = await callAuthorize(authorize, request, form);
  if (decision instanceof Response && isSendable(decision)) return decision;
  // Forgotten returns refuse, too.
  if (decision === false || decision === undefined || decision === null) throw uploadRefused("access");
  if (decision === true) return limits;
  // A session without a user is often an empty object.
  if (isOptions(decision) && Object.values(decision).some((limit) => limit !== undefined)) {
    return { ...limits, ...resolveChanges(limitSchema, decision) };
  }
  throw invalidOption("authorize", "a function that returns true, false, limits or a Response");
}

/** Not that of `Response.error()`, nor one that was sent before. */
function isSendable({ status, bodyUsed, body }: Response): boolean {
  return status !== 0 && !bodyUsed && !body?.locked;
}

async function callAuthorize(authorize: Authorize, request: Request, form: FormFields): Promise<unknown> {
  try {
    return await authorize(request, { fields: form.fields });
  } catch (cause) {
    if (cause !== undefined && cause === form.failure()) throw cause;
    // Its own error could have a code that clients receive.
    throw new Error("authorize threw an error", { cause });
  }
}

/**
 * Whether a request may use the cookies that its browser sent along: not if a page of another origin made it, unless that
 * origin is allowed. By what browsers report and pages cannot forge (Fetch Metadata, `Sec-Fetch-Site`), or else by
 * `Origin`, which has to name the requested host. Programs send neither, and have no cookies of others.
 */
export function isOriginAllowed({ headers, url }: Request, allowedOrigins: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin !== null && allowedOrigins.includes(origin)) return true;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  if (origin === null) return true;
  // `null`, of a sandboxed page, is no URL. The scheme is not compared: a proxy may have ended TLS.
  const host = headers.get("host") ?? new URL(url).host;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** What pages of an allowed origin may send and read, each a list of names. */
export interface CorsNames {
  methods: string;
  /** Headers of requests. */
  allowed: string;
  /** Headers of responses. */
  exposed: string;
}

/** Lets pages of an allowed origin read a response (Fetch Standard, CORS protocol). */
export function withCors(
  response: Response,
  { headers }: Request,
  allowedOrigins: readonly string[],
  { methods, allowed, exposed }: CorsNames,
): Response {
  if (allowedOrigins.length === 0) return response;
  // Those of a response from elsewhere may be immutable.
  const copy = new Response(response.body, response);
  copy.headers.append("Vary", "Origin");
  const origin = headers.get("origin");
  if (origin === null || !allowedOrigins.includes(origin)) return copy;
  copy.headers.set("Access-Control-Allow-Origin", origin);
  copy.headers.set("Access-Control-Allow-Methods", methods);
  copy.headers.set("Access-Control-Allow-Headers", allowed);
  copy.headers.set("Access-Control-Expose-Headers", exposed);
  return copy;
}

/** A list of origins, such as `https://app.example`; empty if it is left out. */
export const originList: Check<readonly string[]> = (origins = [], name) => {
  const isOrigin = (value: unknown) =>
    typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;
  if (!Array.isArray(origins) || !origins.every(isOrigin)) {
    throw invalidOption(name, "a list of origins, such as https://app.example");
  }
  return origins;
};
