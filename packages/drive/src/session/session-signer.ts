import { KeeplightError, type Signer } from "keeplight";
import { type DatedJwt, entryBusy, isSameAddress, keepSignIn } from "keeplight/parts";
import type { KeptSession } from "./kept.ts";
import { type KeptToken, PATIENCE_MS, type Vault } from "./vault.ts";

/** What the signer of a session knows of it. */
interface Life {
  /** Throws `SESSION_ENDED` once it is over. */
  assertActive(): void;
  /** The wallet that is connected now, of whichever account. */
  wallet(): Signer | undefined;
}

/** The signer of a session: it has the sign-in to the key nodes, and asks the wallet only if that was refused. */
export function createSessionSigner({ id, account }: KeptSession, vault: Vault, life: Life) {
  /** The token of a session that is being started, of which nothing is kept yet. */
  let early: { token: KeptToken | undefined } | undefined;

  async function renew(
    kept: KeptToken | undefined,
    keyNodes: string,
    work: (kept: DatedJwt | undefined) => Promise<DatedJwt>,
  ): Promise<KeptToken> {
    life.assertActive();
    const known = kept?.keyNodes === keyNodes ? kept : undefined;
    const jwt = await work(known && toDated(known));
    return known && jwt.token === known.jwt.token ? known : { session: id, keyNodes, jwt };
  }

  async function exchange(keyNodes: string, work: (kept: DatedJwt | undefined) => Promise<DatedJwt>) {
    if (early) {
      early.token = await renew(early.token, keyNodes, work);
      return toDated(early.token);
    }
    const token = await vault.exchange(id, (kept) => renew(kept, keyNodes, work), life.assertActive);
    const { current } = await vault.read();
    // If it has ended meanwhile, it leaves no token behind.
    if (current?.id !== id) await removeToken(vault, id);
    return toDated(token);
  }

  const signer: Signer & { readonly address: string } = {
    address: account,
    async getAddress() {
      life.assertActive();
      return account;
    },
    async signMessage(message) {
      life.assertActive();
      const wallet = life.wallet();
      if (wallet === undefined) throw walletMissing(account);
      return pinSigner(wallet, account).signMessage(message);
    },
  };
  const keeper = { exchange, assertUsable: life.assertActive };
  return {
    signer: keepSignIn(signer, () => keeper),
    /** Keeps nothing until {@link keepToken} is called. */
    holdToken(): void {
      early = { token: undefined };
    },
    async keepToken(): Promise<void> {
      const token = early?.token;
      early = undefined;
      if (token) await vault.exchange(id, async () => token, life.assertActive);
    },
  };
}

/** Removes what is kept of the sign-in of a session. Throws `JOURNAL_ENTRY_BUSY` if another tab does not let go of it. */
export async function removeToken(vault: Vault, id: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  await vault.exchange(
    id,
    async () => undefined,
    () => {
      if (Date.now() > end) throw entryBusy(id);
    },
  );
}

/** Returns the signer of an account, which signs for no other one, whatever the user of its wallet chooses. */
export function pinSigner(signer: Signer, account: string): Signer {
  return {
    getAddress: async () => account,
    async signMessage(message) {
      if (!isSameAddress(account, await signer.getAddress())) throw walletMissing(account);
      return signer.signMessage(message);
    },
  };
}

const toDated = ({ jwt }: KeptToken): DatedJwt => ({ ...jwt, refreshAt: jwt.refreshAt ?? Number.POSITIVE_INFINITY });

const walletMissing = (account: string) =>
  new KeeplightError("SIGNATURE_REJECTED", `The wallet of ${account} has to sign: connect it`);

export const sessionEnded = () =>
  new KeeplightError("SESSION_ENDED", "The session in this browser has ended: sign in again");
