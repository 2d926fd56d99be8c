import { deriveSignal, throwIfAborted, untilAborted } from "../../base/async/abort.ts";
import { type ErrorCode, ignore, isKeeplightError } from "../../base/errors/base.ts";
import { shared } from "../../base/shared.ts";
import { type ConnectedSigner, type SigningOptions, signWithSigner } from "../../base/validation/sign.ts";
import type { Signer } from "../../base/validation/signer.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import { type Jwt, requestJwt, type SignInProof, signIn } from "./sign-in.ts";

/** How long to wait for another signer's sign-in, which may wait for a person, in milliseconds. */
const TURN_MS = 10_000;

/** A JWT is refreshed this many milliseconds before it expires, but not before the last third of its lifetime. */
const EXPIRY_MARGIN_MS = 30_000;
const EXPIRY_MARGIN_SHARE = 1 / 3;

/** Failures of a sign-in that another call need not share: its options, or its signer, may be better. */
const FAILURES_OF_THE_CALL: readonly ErrorCode[] = ["ABORTED", "UNEXPECTED_MESSAGE"];
const FAILURES_OF_THE_SIGNER: readonly ErrorCode[] = ["INVALID_SIGNATURE", "SIGNATURE_REJECTED", "INVALID_OPTION"];

/** Under which a signer carries what signs it in instead: the same for all copies of this package in a process. */
export const KEPT: unique symbol = Symbol.for("keeplight.signIn");

/** A signer whose sign-in may be kept by something else: see `keepSignIn`. */
export type KeptSigner = Signer & { [KEPT]?: typeof createSession | undefined };

/** Signs a signer in to the key nodes for one call. Nothing is sent or signed before a token is requested. */
export function createSession(
  { signer, address }: ConnectedSigner,
  nodes: KeyNodes,
  signing: SigningOptions,
): NodeAuth {
  const { signal, endpoints } = nodes.call;
  const key = `${endpoints.keyNodes} ${address}`;
  const account = admitted.get(signer)?.get(key) ?? getSharedAccount(key);
  /** The latest proof that the signer was compared with. */
  let compared: SignInProof | undefined;

  function isAdmitted(): boolean {
    return admitted.get(signer)?.get(key) === account;
  }

  function admit(): void {
    const own = admitted.get(signer) ?? new Map<string, Account>();
    admitted.set(signer, own.set(key, account));
  }

  /** Returns a JWT to use now, other than `stale`. */
  async function getJwt(stale?: string): Promise<string> {
    for (;;) {
      throwIfAborted(signal);
      const { jwt, proof, pending } = account;
      if (jwt && proof && proof !== compared && !isAdmitted()) await compareProof(proof);
      else if (pending) {
        const joined = await join(pending);
        if (joined && joined.token !== stale) return joined.token;
        // It failed, or it takes too long.
        account.clearPending(pending);
      } else if (!jwt || !isAdmitted()) return account.start(signer, signInAgain);
      else if (jwt.token !== stale && Date.now() < jwt.refreshAt) return jwt.token;
      else
        return untilAborted(
          account.start(signer, () => refresh(jwt)),
          signal,
        );
    }
  }

  async function signInAgain(): Promise<DatedJwt> {
    const { jwt, ...proof } = await signIn(signer, address, nodes, signing);
    account.proof = proof;
    admit();
    return toDated(jwt);
  }

  async function refresh(jwt: DatedJwt): Promise<DatedJwt> {
    try {
      return await refreshJwt(nodes, address, jwt);
    } catch (error) {
      if (isKeeplightError(error, "INVALID_SIGNATURE")) return signInAgain();
      throw error;
    }
  }

  /** Waits for another call's sign-in; returns undefined if this call has to sign in by itself. */
  async function join(pending: PendingSignIn): Promise<DatedJwt | undefined> {
    const isOwn = pending.signer === signer;
    try {
      const joined = await (isOwn ? untilAborted(pending.jwt, signal) : waitOneTurn(pending.jwt, signal));
      return isAdmitted() ? joined : undefined;
    } catch (error) {
      throwIfAborted(signal);
      return ignore(...FAILURES_OF_THE_CALL, ...(isOwn ? [] : FAILURES_OF_THE_SIGNER))(error);
    }
  }

  /**
   * Admits the signer if it signs the message of the account's latest sign-in with the same signature. With most
   * wallets, signatures of one message are equal (RFC 6979, RFC 8032), and only the key's owner has it. With other
   * wallets they differ, which proves nothing.
   */
  async function compareProof(proof: SignInProof): Promise<void> {
    compared = proof;
    const { proving } = account;
    const options = { ...signing, signal: undefined };
    const signed = proving.get(signer) ?? signWithSigner(signer, proof.message, "keyNodes", options);
    proving.set(signer, signed);
    try {
      if ((await untilAborted(signed, signal)) === proof.signature) admit();
    } finally {
      proving.delete(signer);
    }
  }

  return { address, token: () => getJwt(), renew: getJwt };
}

/**
 * Exchanges the refresh token of a JWT for the next one. The signal of the call does not end that: a refresh token may be valid
 * once, so what replaces it must arrive.
 */
export async function refreshJwt(nodes: KeyNodes, address: string, { refreshToken }: Jwt): Promise<DatedJwt> {
  const detached: KeyNodes = { ...nodes, call: { ...nodes.call, signal: undefined } };
  return toDated(await requestJwt(detached, { address, refreshToken }));
}

/** Waits for `work`; throws `ABORTED` if it takes longer than a turn, or as soon as `signal` fires. */
function waitOneTurn<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const turn = deriveSignal(signal);
  const timer = setTimeout(turn.end, TURN_MS);
  return untilAborted(work, turn.signal).finally(() => {
    clearTimeout(timer);
    turn.end();
  });
}

/**
 * Determines when to refresh a JWT that was just received, from its claims (RFC 7519). Its lifetime counts from now, as this
 * machine's clock may be wrong. A JWT without readable claims is used until it is refused.
 */
export function toDated(jwt: Jwt): DatedJwt {
  const { exp, iat } = readClaims(jwt.token);
  if (typeof exp !== "number") return { ...jwt, refreshAt: Number.POSITIVE_INFINITY };
  const now = Date.now();
  const lifetime = typeof iat === "number" ? (exp - iat) * 1000 : exp * 1000 - now;
  return { ...jwt, refreshAt: now + lifetime - Math.min(EXPIRY_MARGIN_MS, lifetime * EXPIRY_MARGIN_SHARE) };
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

/** A JWT that an account is signed in with. */
export interface DatedJwt extends Jwt {
  /** When to refresh it, in milliseconds since 1970 by this machine's clock. */
  refreshAt: number;
}

/** A sign-in or refresh in progress. */
interface PendingSignIn {
  signer: Signer;
  jwt: Promise<DatedJwt>;
}

/** What this process knows about one address at one host of key nodes; shared by all of the address's signers. */
class Account {
  jwt: DatedJwt | undefined;
  /** Of the latest sign-in. */
  proof: SignInProof | undefined;
  /** One at a time, as each sign-in uses up the message of the others. */
  pending: PendingSignIn | undefined;
  /** Signatures of `proof.message` in progress. */
  readonly proving = new WeakMap<Signer, Promise<string>>();

  /** Starts a sign-in or refresh, which other calls can wait for. If it fails, the previous JWT is kept. */
  async start(signer: Signer, signIn: () => Promise<DatedJwt>): Promise<string> {
    const pending = { signer, jwt: signIn() };
    this.pending = pending;
    try {
      this.jwt = await pending.jwt;
      return this.jwt.token;
    } finally {
      this.clearPending(pending);
    }
  }

  /** Clears `pending`, unless another sign-in or refresh has already replaced it. */
  clearPending(pending: PendingSignIn): void {
    if (this.pending === pending) this.pending = undefined;
  }
}

/** Accounts that further signers may join; the least recently used are evicted first. */
const accounts = shared("accounts", () => new Map<string, Account>());
const MAX_ACCOUNTS = 1_000;

/**
 * The accounts that each signer object has proved to own. A signer only claims its address, so it may use a JWT of that
 * address only after signing for it.
 */
const admitted = shared("admitted signers", () => new WeakMap<Signer, Map<string, Account>>());

function getSharedAccount(key: string): Account {
  const account = accounts.get(key) ?? new Account();
  accounts.delete(key);
  accounts.set(key, account);
  for (const oldest of accounts.keys()) {
    if (accounts.size <= MAX_ACCOUNTS) break;
    accounts.delete(oldest);
  }
  return account;
}
