import { randomBytes, randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { normalizeAddress } from "./addresses.ts";

const ISSUER = "devnet-key-nodes";

/** A JWT and its refresh token. */
interface TokenPair {
  token: string;
  refreshToken: string;
}

/** Issues and verifies the key nodes' tokens. */
export interface Jwts {
  issue(address: string): Promise<TokenPair>;
  /** Exchanges a refresh token of `address` for a new pair; `undefined` if it is unknown or already used. */
  refresh(address: string, refreshToken: string): Promise<TokenPair | undefined>;
  /** Returns the address that a token was issued to, or `undefined` if it was not issued here or has expired. */
  subject(token: string): Promise<string | undefined>;
}

/** Creates an issuer with its own key. */
export function createJwts(lifetimeSeconds: number): Jwts {
  const key = randomBytes(32);
  const refreshTokens = new Map<string, string>();

  const issue = async (address: string): Promise<TokenPair> => {
    const now = Date.now() / 1_000;
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(ISSUER)
      .setSubject(address)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .setJti(randomUUID())
      .sign(key);
    const refreshToken = `r:${randomBytes(24).toString("hex")}`;
    refreshTokens.set(refreshToken, address);
    return { token: `jwt:${jwt}`, refreshToken };
  };

  return {
    issue,
    async refresh(address, refreshToken) {
      if (refreshTokens.get(refreshToken) !== address) return undefined;
      refreshTokens.delete(refreshToken);
      return issue(address);
    },
    async subject(token) {
      try {
        const { payload } = await jwtVerify(token.replace(/^jwt:/, ""), key, { issuer: ISSUER, algorithms: ["HS256"] });
        // the library compares whole seconds only
        if ((payload.exp ?? 0) <= Date.now() / 1_000) return undefined;
        return normalizeAddress(payload.sub);
      } catch {
        return undefined;
      }
    },
  };
}
