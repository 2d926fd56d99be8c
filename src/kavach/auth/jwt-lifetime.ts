/** A JWT is refreshed this many milliseconds before it expires, but not before the last third of its lifetime. */
const EXPIRY_MARGIN_MS = 30_000;
const EXPIRY_MARGIN_SHARE = 1 / 3;

/**
 * Computes when to refresh a JWT that was just received, in milliseconds since 1970, from its claims (RFC 7519). Its
 * lifetime counts from now, as this machine's clock may be wrong. A JWT without readable claims is used until it is
 * refused.
 */
export function computeRefreshTime(token: string): number {
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
