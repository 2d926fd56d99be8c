/** A JWT this close to its end is refreshed before it is used, in milliseconds, or in the last third of its lifetime. */
const EXPIRY_MARGIN_MS = 30_000;
const EXPIRY_MARGIN_SHARE = 1 / 3;

/**
 * When a JWT that has just come is to be refreshed, in milliseconds since 1970, by its own claims (RFC 7519). Its
 * lifetime counts from now, as this machine's clock may be wrong. One without readable claims is used until it is
 * refused.
 */
export function refreshTime(token: string): number {
  const { exp, iat } = readClaims(token);
  if (typeof exp !== "number") return Number.POSITIVE_INFINITY;
  const now = Date.now();
  const lifetime = typeof iat === "number" ? (exp - iat) * 1000 : exp * 1000 - now;
  return now + lifetime - Math.min(EXPIRY_MARGIN_MS, lifetime * EXPIRY_MARGIN_SHARE);
}

function readClaims(token: string): { exp?: unknown; iat?: unknown } {
  try {
    const payload = (token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === "object" && claims !== null ? claims : {};
  } catch {
    return {};
  }
}
