import { shared } from "../../base/shared.ts";
import type { Signer } from "../../base/validation/signer.ts";
import type { Jwt } from "./sign-in.ts";

/** A JWT that an account is signed in with. */
export interface DatedJwt extends Jwt {
  /** When to refresh it, in milliseconds since 1970 by this machine's clock. */
  refreshAt: number;
}

/** A message and its signature, by which an account was signed in. */
export interface SignInProof {
  message: string;
  signature: string;
}

/** A sign-in or refresh in progress. */
export interface PendingSignIn {
  signer: Signer;
  jwt: Promise<DatedJwt>;
}

/** What this process knows about one address at one host of key nodes; shared by all of the address's signers. */
export class Account {
  jwt: DatedJwt | undefined;
  /** Of the latest sign-in. */
  proof: SignInProof | undefined;
  /** One at a time, as each sign-in uses up the message of the others. */
  pending: PendingSignIn | undefined;
  /** Signatures of `proof.message` in progress. */
  readonly proving = new WeakMap<Signer, Promise<string>>();

  /** Starts a sign-in or refresh, which other calls can wait for. If it fails, the previous JWT is kept. */
  async start(signer: Signer, signIn: () => Promise<DatedJwt>): Promise<DatedJwt> {
    const pending = { signer, jwt: signIn() };
    this.pending = pending;
    try {
      this.jwt = await pending.jwt;
      return this.jwt;
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

/** Finds the account of `key` that the signer was admitted to, or else the one that all signers share. */
export function findAccount(signer: Signer, key: string): Account {
  return admitted.get(signer)?.get(key) ?? getSharedAccount(key);
}

/** Whether the signer has proved to own the account. */
export function isAdmitted(signer: Signer, key: string, account: Account): boolean {
  return admitted.get(signer)?.get(key) === account;
}

/** Remembers that the signer has proved to own the account. */
export function admit(signer: Signer, key: string, account: Account): void {
  const own = admitted.get(signer) ?? new Map<string, Account>();
  admitted.set(signer, own.set(key, account));
}

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
