import { KeeplightError, type Signer, type SignerLike } from "keeplight";
import { type DatedJwt, isSameAddress, keepSignIn, resolveSigner } from "keeplight/parts";
import type { KeptSession } from "./kept.ts";
import type { KeptToken, Vault } from "./vault.ts";

/** What the signer of a session is told of it. */
interface Life {
  /** Throws `SESSION_ENDED` once it is over. */
  assertActive(): void;
  /** The wallet that is connected now, of whichever account. */
  wallet(): SignerLike | undefined;
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
      const resolved = wallet && (await resolveSigner(wallet));
      // A wallet whose user has chosen another account would sign for that one.
      if (!resolved || !isSameAddress(account, await resolved.getAddress())) throw walletMissing(account);
      return resolved.signMessage(message);
    },
  };
  return {
    signer: keepSignIn(signer, () => ({ exchange, assertUsable: life.assertActive })),
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

/** Removes what is kept of the sign-in of a session. */
export async function removeToken(vault: Vault, id: string): Promise<void> {
  await vault.exchange(
    id,
    async () => undefined,
    () => undefined,
  );
}

const toDated = ({ jwt }: KeptToken): DatedJwt => ({ ...jwt, refreshAt: jwt.refreshAt ?? Number.POSITIVE_INFINITY });

const walletMissing = (account: string) =>
  new KeeplightError("SIGNATURE_REJECTED", `The wallet of ${account} has to sign: connect it`);

export const sessionEnded = () =>
  new KeeplightError("SESSION_ENDED", "The session in this browser has ended: sign in again");
