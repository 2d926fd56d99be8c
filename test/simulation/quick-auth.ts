import { createHash } from "node:crypto";
import type { Auth } from "../../packages/devnet/src/credentials.ts";
import type { Random } from "./random.ts";

const PREFIX = "Please sign this message to prove you are owner of this account: ";

/** Signs as an account does here: a hash takes less time than an elliptic curve. */
export function quickSign(address: string, message: string): string {
  return `0x${createHash("sha256").update(`${address} ${message}`).digest("hex")}`;
}

/** Replaces the cryptography of signing in, which the simulation is not about and takes most of its time. */
export function createQuickAuth(auth: Auth, lifetimeSeconds: number, random: Random): Auth {
  return { ...auth, nodeMessages: createMessages(random), jwts: createTokens(lifetimeSeconds, random) };
}

function createMessages(random: Random): Auth["messages"] {
  const current = new Map<string, string>();
  return {
    current(address) {
      const message = current.get(address) ?? `${PREFIX}${createUuid(random)}`;
      current.set(address, message);
      return message;
    },
    accept: () => false,
    spend(address, signature) {
      const message = current.get(address);
      if (message === undefined || quickSign(address, message) !== signature) return false;
      return current.delete(address);
    },
  };
}

function createTokens(lifetimeSeconds: number, random: Random): Auth["jwts"] {
  const tokens = new Map<string, { address: string; expires: number }>();
  const refreshTokens = new Map<string, string>();

  async function issue(address: string) {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = btoa(JSON.stringify({ iat, exp: iat + lifetimeSeconds, jti: random.below(1_000_000) }));
    const token = `jwt:e30.${claims}.e30`;
    tokens.set(token, { address, expires: (iat + lifetimeSeconds) * 1_000 });
    const refreshToken = `r:${random.below(1_000_000_000)}`;
    refreshTokens.set(refreshToken, address);
    return { token, refreshToken };
  }

  return {
    issue,
    async refresh(address, refreshToken) {
      if (refreshTokens.get(refreshToken) !== address) return undefined;
      refreshTokens.delete(refreshToken);
      return issue(address);
    },
    async subject(token) {
      const { address, expires = 0 } = tokens.get(token) ?? {};
      return Date.now() < expires ? address : undefined;
    },
  };
}

function createUuid(random: Random): string {
  const hex = Buffer.from(random.fill(new Uint8Array(16))).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
