import { KeeplightError } from "../errors/base.ts";
import { signatureRejected } from "../errors/nodes.ts";
import { throwIfAborted } from "../http/deadline.ts";
import type { ResolvedCall } from "../options.ts";
import { type Jwt, kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt } from "./auth.ts";
import type { NodeAuth, Signer } from "./owner.ts";

/** A JWT this close to its end is refreshed before it is used, in milliseconds. */
const EXPIRY_MARGIN_MS = 30_000;

/** Sign-ins by signer, then by key nodes and address: one signature serves every call that follows. */
const signIns = new WeakMap<Signer, Map<string, Promise<Jwt>>>();

/** A signer's standing with the key nodes. Nothing is sent or signed before a token is asked for. */
export function sessionOf(signer: Signer, address: string, call: ResolvedCall): NodeAuth {
  const options = { signal: call.signal, timeoutMs: call.timeoutMs, endpoints: call.endpoints };
  const known = signIns.get(signer) ?? new Map<string, Promise<Jwt>>();
  signIns.set(signer, known);
  const key = `${call.endpoints.keyNodes} ${address}`;

  async function signIn(): Promise<Jwt> {
    const { message } = await kavachGetAuthMessage(address, options);
    const signature = await sign(message);
    return kavachGetJwt(address, { ...options, signature });
  }

  async function sign(message: string): Promise<string> {
    let signature: string;
    try {
      signature = await untilAborted(signer.signMessage(message));
    } catch (error) {
      throwIfAborted(call.signal);
      throw signatureRejected(error);
    }
    return signature;
  }

  /** A wallet's window may stay open for as long as it likes; an aborted call does not wait for it. */
  function untilAborted<T>(work: Promise<T>): Promise<T> {
    const { signal } = call;
    if (!signal) return work;
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  async function refresh({ refreshToken }: Jwt): Promise<Jwt> {
    try {
      return await kavachRefreshJwt(address, { ...options, refreshToken });
    } catch (error) {
      if (error instanceof KeeplightError && error.code === "INVALID_SIGNATURE") return signIn();
      throw error;
    }
  }

  /** Calls that need a token at the same time share one request for it. */
  function share(work: Promise<Jwt>): Promise<Jwt> {
    known.set(key, work);
    work.catch(() => {
      if (known.get(key) === work) known.delete(key);
    });
    return work;
  }

  async function current(): Promise<Jwt> {
    throwIfAborted(call.signal);
    const pending = known.get(key);
    if (!pending) return share(signIn());
    let jwt: Jwt;
    try {
      jwt = await untilAborted(pending);
    } catch (error) {
      throwIfAborted(call.signal);
      // Whoever asked first gave up; that is no reason for this call to fail.
      if (error instanceof KeeplightError && error.code === "ABORTED") return current();
      throw error;
    }
    if (!expiresSoon(jwt)) return jwt;
    return known.get(key) === pending ? share(refresh(jwt)) : current();
  }

  return {
    address,
    token: async () => (await current()).token,
    async renew(stale) {
      const pending = known.get(key);
      const jwt = await pending;
      if (jwt?.token === stale && known.get(key) === pending) share(refresh(jwt));
      return (await current()).token;
    },
  };
}

/** By the token's own `exp` claim (RFC 7519); a token without a readable one is used until it is refused. */
function expiresSoon({ token }: Jwt): boolean {
  try {
    const payload = (token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    const { exp }: { exp?: unknown } = JSON.parse(atob(payload));
    return typeof exp === "number" && exp * 1000 - EXPIRY_MARGIN_MS < Date.now();
  } catch {
    return false;
  }
}
