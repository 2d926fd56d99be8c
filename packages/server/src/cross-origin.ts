import { type Check, invalidOption } from "keeplight/parts";

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

/** Lets pages of an allowed origin read a response (Fetch Standard, CORS protocol). */
export function withCors(response: Response, { headers }: Request, allowedOrigins: readonly string[]): Response {
  if (allowedOrigins.length === 0) return response;
  // Those of a response from elsewhere may be immutable.
  const copy = new Response(response.body, response);
  copy.headers.append("Vary", "Origin");
  const origin = headers.get("origin");
  if (origin === null || !allowedOrigins.includes(origin)) return copy;
  copy.headers.set("Access-Control-Allow-Origin", origin);
  copy.headers.set("Access-Control-Allow-Methods", "POST");
  copy.headers.set("Access-Control-Allow-Headers", "Authorization, Encryption, Mime-Type");
  copy.headers.set("Access-Control-Expose-Headers", "Retry-After");
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
