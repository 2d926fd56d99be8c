import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Allows requests from any origin, with credentials, and responds to preflights.
 *
 * @returns whether the request was a preflight, which is complete.
 */
export function allowAnyOrigin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const { origin } = incoming.headers;
  if (origin === undefined) return false;
  outgoing.setHeader("Access-Control-Allow-Origin", origin);
  outgoing.setHeader("Access-Control-Allow-Credentials", "true");
  outgoing.setHeader("Access-Control-Expose-Headers", "Content-Length, Content-Range, Accept-Ranges, Retry-After");
  outgoing.setHeader("Vary", "Origin");
  if (incoming.method !== "OPTIONS") return false;
  outgoing.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
  const headers = incoming.headers["access-control-request-headers"];
  outgoing.setHeader("Access-Control-Allow-Headers", headers ?? "Authorization, Content-Type, Encryption, Mime-Type");
  // not cached, so that a fault also applies to the next preflight
  outgoing.setHeader("Access-Control-Max-Age", "0");
  outgoing.writeHead(204).end();
  return true;
}
