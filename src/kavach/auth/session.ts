import { throwIfAborted, untilAborted } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import type { SigningOptions } from "../../validation/sign-in-message.ts";
import { type Signer, signWithSigner } from "../../validation/signer.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import { type Jwt, kavachRefreshJwt } from "./auth-calls.ts";
import { refreshTime } from "./jwt-lifetime.ts";
import { type SignedIn, signIn } from "./sign-in.ts";

/** What this process knows about one address at one host of key nodes. */
interface Account {
  session?: Session;
  /** The latest sign-in's message and signature; see {@link proves}. */
  proof?: { message: string; signature: string };
  /** The sign-in or refresh under way: one at a time, as each sign-in uses the message of the others up. */
  work?: { signer: Signer; session: Promise<Session> };
  /** Signers that are signing `proof.message`. */
  proving: WeakMap<Signer, Promise<string>>;
}

interface Session extends Jwt {
  /** When to refresh it, in milliseconds since 1970 by this machine's clock. */
  refreshAt: number;
}

/** Accounts that signers may newly join; the least recently used are forgotten first. */
const accounts = new Map<string, Account>();
const MAX_ACCOUNTS = 1_000;

/**
 * The accounts that each signer object has proved to own. A signer only claims its address, so it may use a session
 * of that address only after signing for it.
 */
const admitted = new WeakMap<Signer, Map<string, Account>>();

/** How long a sign-in waits for that of another signer, which may wait for a person, in milliseconds. */
const TURN_MS = 10_000;

/** A sign-in that failed like this may work with another signer or other options. */
const OF_THE_SIGNER = new Set<ErrorCode>(["INVALID_SIGNATURE", "SIGNATURE_REJECTED", "INVALID_OPTION"]);
const OF_THE_CALL = new Set<ErrorCode>(["ABORTED", "UNEXPECTED_MESSAGE"]);

/** A signer's standing with the key nodes. Nothing is sent or signed before a token is requested. */
export function getSession(signer: Signer, address: string, nodes: KeyNodes, signing: SigningOptions): NodeAuth {
  const { call, attempts, retryMs } = nodes;
  const { signal } = call;
  const key = `${call.endpoints.keyNodes} ${address}`;
  const account = admitted.get(signer)?.get(key) ?? getAccount(key);

  let tried: Account["proof"];
  const isAdmitted = () => admitted.get(signer)?.get(key) === account;

  function admit(): void {
    const own = admitted.get(signer) ?? new Map<string, Account>();
    admitted.set(signer, own.set(key, account));
  }

  async function newSession(): Promise<Session> {
    const { jwt, ...proof }: SignedIn = await signIn(signer, address, nodes, signing);
    account.proof = proof;
    admit();
    return dated(jwt);
  }

  async function refresh({ refreshToken }: Session): Promise<Session> {
    try {
      return dated(await kavachRefreshJwt(address, { ...call, attempts, retryMs, refreshToken }));
    } catch (error) {
      if (isKeeplightError(error) && error.code === "INVALID_SIGNATURE") return newSession();
      throw error;
    }
  }

  /** Does the work, of which others wait for the outcome. If it fails, the session before it is not lost. */
  async function begin(run: () => Promise<Session>): Promise<Session> {
    const work = { signer, session: run() };
    account.work = work;
    try {
      account.session = await work.session;
      return account.session;
    } finally {
      if (account.work === work) delete account.work;
    }
  }

  /** Waits for another call's work; undefined if it leaves this call to do its own. */
  async function join({ signer: other, session }: NonNullable<Account["work"]>): Promise<Session | undefined> {
    try {
      const done = await (other === signer ? untilAborted(session, signal) : withinTurn(session, signal));
      return isAdmitted() ? done : undefined;
    } catch (error) {
      throwIfAborted(signal);
      if (!isKeeplightError(error)) throw error;
      if (OF_THE_CALL.has(error.code) || (other !== signer && OF_THE_SIGNER.has(error.code))) return undefined;
      throw error;
    }
  }

  /**
   * Whether the signer signs the message of the account's latest sign-in as it was signed then. Signatures of one
   * message are equal with most wallets (RFC 6979, RFC 8032), and only the key's owner has it. With others they differ,
   * which proves nothing.
   */
  async function proves({ message, signature }: NonNullable<Account["proof"]>): Promise<boolean> {
    const signed = account.proving.get(signer) ?? signWithSigner(signer, message, { ...signing, signal: undefined });
    account.proving.set(signer, signed);
    try {
      return (await untilAborted(signed, signal)) === signature;
    } finally {
      account.proving.delete(signer);
    }
  }

  /** A token to use now, which is not `stale`. */
  async function current(stale?: string): Promise<Session> {
    for (;;) {
      throwIfAborted(signal);
      const { session, proof, work } = account;
      if (session && proof && proof !== tried && !isAdmitted()) {
        tried = proof;
        if (await proves(proof)) admit();
      } else if (work) {
        const joined = await join(work);
        if (joined && joined.token !== stale) return joined;
        // It failed, or it takes too long.
        if (account.work === work) delete account.work;
      } else if (!session || !isAdmitted()) return begin(newSession);
      else if (session.token !== stale && Date.now() < session.refreshAt) return session;
      else return begin(() => refresh(session));
    }
  }

  return {
    address,
    token: async () => (await current()).token,
    renew: async (stale) => (await current(stale)).token,
  };
}

function getAccount(key: string): Account {
  const account = accounts.get(key) ?? { proving: new WeakMap() };
  accounts.delete(key);
  accounts.set(key, account);
  for (const oldest of accounts.keys()) {
    if (accounts.size <= MAX_ACCOUNTS) break;
    accounts.delete(oldest);
  }
  return account;
}

function dated(jwt: Jwt): Session {
  return { ...jwt, refreshAt: refreshTime(jwt.token) };
}

/** What `work` yields; `ABORTED` if that takes longer than a turn, or as soon as `signal` fires. */
async function withinTurn<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const turn = new AbortController();
  const end = () => turn.abort();
  const timer = setTimeout(end, TURN_MS);
  signal?.addEventListener("abort", end, { once: true });
  try {
    return await untilAborted(work, turn.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
