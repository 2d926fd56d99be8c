import { randomUUID } from "node:crypto";
import type { Signer } from "../../src/index.ts";
import { createServer, type Handler, sendJson, type TestServer } from "./http-server.ts";

/** Key nodes that check only sign-ins; every other request succeeds. */
export interface SignInNetwork extends TestServer {
  /** Number of requests of each kind. */
  counts: { messages: number; signedIn: number; refreshed: number };
  /** Tokens that the nodes accept; after `clear()` they respond with 401. */
  valid: Set<string>;
  /** Handlers that replace those of these paths. */
  replace: { message?: Handler; signIn?: Handler; refresh?: Handler };
  /** What the response to a refresh waits for, the token already replaced. */
  beforeRefreshed?: () => Promise<void>;
}

/**
 * @param lifetimeSeconds - of a token; called for each
 * @param clockAheadSeconds - how far the nodes' clock is ahead of this machine's clock
 */
export async function createSignInNetwork(
  lifetimeSeconds: () => number = () => 3_600,
  clockAheadSeconds = 0,
): Promise<SignInNetwork> {
  const counts = { messages: 0, signedIn: 0, refreshed: 0 };
  const valid = new Set<string>();
  const replace: SignInNetwork["replace"] = {};
  /** Each is valid once. */
  const refreshTokens = new Set<string>();

  function newToken(): { token: string; refreshToken: string } {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const iat = Math.floor(Date.now() / 1000) + clockAheadSeconds;
    const exp = iat + lifetimeSeconds();
    const token = `jwt:${part({ alg: "none" })}.${part({ iat, exp, jti: randomUUID() })}.signature`;
    valid.add(token);
    const refreshToken = `r:${randomUUID()}`;
    refreshTokens.add(refreshToken);
    return { token, refreshToken };
  }

  const server = await createServer(async (request, response, incoming) => {
    if (request.path === "/api/message/get-jwt") {
      const isSignIn = request.method === "POST";
      counts[isSignIn ? "signedIn" : "refreshed"]++;
      const handler = isSignIn ? replace.signIn : replace.refresh;
      if (handler) return handler(request, response, incoming);
      if (isSignIn) return sendJson(response, newToken());
      const { refreshToken } = JSON.parse(request.body.toString());
      if (!refreshTokens.delete(refreshToken)) return sendJson(response, { message: "Invalid refresh token" }, 406);
      const next = newToken();
      await network.beforeRefreshed?.();
      return sendJson(response, next);
    }
    if (request.path.startsWith("/api/message/")) {
      counts.messages++;
      if (replace.message) return replace.message(request, response, incoming);
      return sendJson(response, [
        { message: `Please sign this message to prove you are owner of this account: ${randomUUID()}` },
      ]);
    }
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (!valid.has(token)) return sendJson(response, { message: "Invalid Signature" }, 401);
    return sendJson(response, { message: "success" });
  });
  const network: SignInNetwork = { ...server, counts, valid, replace };
  return network;
}

/** A signer that records the messages it signs. */
export interface CountingSigner extends Signer {
  signed: string[];
}

/** @param sign - returns the signature */
export function createSigner(
  address = "0x00000000000000000000000000000000000000aa",
  sign: (message: string) => Promise<string> = async () => `0x${"5e".repeat(65)}`,
): CountingSigner {
  const signed: string[] = [];
  return {
    signed,
    getAddress: async () => address,
    signMessage(message) {
      signed.push(message);
      return sign(message);
    },
  };
}
