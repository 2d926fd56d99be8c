import { KeeplightError } from "../errors/base.ts";
import { throwIfAborted, untilAborted } from "../input/abort.ts";
import { type Signer, signWith } from "../input/signer.ts";
import { type Jwt, kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt } from "./auth.ts";
import type { KeyNodeOptions, KeyNodes } from "./node-client.ts";
import type { NodeAuth } from "./owner.ts";

/** A JWT this close to its end is refreshed before it is used, in milliseconds. */
const EXPIRY_MARGIN_MS = 30_000;

/** How many messages are signed at most where others use them up. */
const SIGN_IN_ATTEMPTS = 3;

/** Sign-ins by signer, then by key nodes and address: one signature serves every call that follows. */
const signIns = new WeakMap<Signer, Map<string, Promise<Session>>>();

interface Session extends Jwt {
  /** When to refresh it, in milliseconds since 1970 by this machine's clock. */
  refreshAt: number;
}

/** A signer's standing with the key nodes. Nothing is sent or signed before a token is asked for. */
export function sessionOf(signer: Signer, address: string, { call, attempts, retryMs }: KeyNodes): NodeAuth {
  const options: KeyNodeOptions = { ...call, attempts, retryMs };
  const known = signIns.get(signer) ?? new Map<string, Promise<Session>>();
  signIns.set(signer, known);
  const key = `${call.endpoints.keyNodes} ${address}`;

  /**
   * Another signer of the same address (another tab, another process) may use a message up between its being
   * fetched and its signature being sent; then the next message is signed instead.
   */
  async function signIn(attempt = 1, refused?: { message: string; error: unknown }): Promise<Jwt> {
    const { message } = await kavachGetAuthMessage(address, options);
    if (refused?.message === message) throw refused.error;
    const signature = await signWith(signer, message, call.signal);
    try {
      return await kavachGetJwt(address, { ...options, signature });
    } catch (error) {
      const isRefused = error instanceof KeeplightError && error.code === "INVALID_SIGNATURE";
      if (!isRefused || attempt === SIGN_IN_ATTEMPTS) throw error;
      return signIn(attempt + 1, { message, error });
    }
  }

  async function refresh({ refreshToken }: Jwt): Promise<Jwt> {
    try {
      return await kavachRefreshJwt(address, { ...options, refreshToken });
    } catch (error) {
      if (error instanceof KeeplightError && error.code === "INVALID_SIGNATURE") return signIn();
      throw error;
    }
  }

  /** Calls that need a token at the same time share one request for it. Where that fails, `before` is not lost. */
  function share(asked: Promise<Jwt>, before?: Promise<Session>): Promise<Session> {
    const work = asked.then(dated);
    known.set(key, work);
    work.catch(() => {
      if (known.get(key) !== work) return;
      if (before) known.set(key, before);
      else known.delete(key);
    });
    return work;
  }

  /** A token to use now, which is not `stale`. */
  async function current(stale?: string): Promise<Session> {
    throwIfAborted(call.signal);
    const pending = known.get(key);
    if (!pending) return share(signIn());
    let jwt: Session;
    try {
      jwt = await untilAborted(pending, call.signal);
    } catch (error) {
      throwIfAborted(call.signal);
      // Whoever asked first gave up; that is no reason for this call to fail.
      if (error instanceof KeeplightError && error.code === "ABORTED") return current(stale);
      throw error;
    }
    if (jwt.token !== stale && Date.now() < jwt.refreshAt) return jwt;
    return known.get(key) === pending ? share(refresh(jwt), pending) : current(stale);
  }

  return {
    address,
    token: async () => (await current()).token,
    renew: async (stale) => (await current(stale)).token,
  };
}

/**
 * When a token that has just come is to be refreshed, by its own claims (RFC 7519). Its lifetime counts from now, as
 * this machine's clock may be wrong. A token without readable claims is used until it is refused.
 */
function dated(jwt: Jwt): Session {
  const { exp, iat } = claimsOf(jwt.token);
  if (typeof exp !== "number") return { ...jwt, refreshAt: Number.POSITIVE_INFINITY };
  const end = typeof iat === "number" ? Date.now() + (exp - iat) * 1000 : exp * 1000;
  return { ...jwt, refreshAt: end - EXPIRY_MARGIN_MS };
}

function claimsOf(token: string): { exp?: unknown; iat?: unknown } {
  try {
    const payload = (token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === "object" && claims !== null ? claims : {};
  } catch {
    return {};
  }
}
