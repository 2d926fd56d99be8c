import { isFreeWallet } from "./eip-1193.ts";
import { resolveSigner } from "./resolve-signer.ts";
import type { Signer, SignerLike } from "./signer.ts";

/**
 * Returns a signer that keeps the account which a wallet shared first, when its user switches to another one. Any other
 * signer has one account only.
 */
export function pinSigner(value: SignerLike): SignerLike {
  if (!isFreeWallet(value)) return value;
  let pinned: Promise<Signer> | undefined;
  const resolve = () => {
    pinned ??= resolveSigner(value).catch((error: unknown) => {
      pinned = undefined;
      throw error;
    });
    return pinned;
  };
  return {
    getAddress: async () => (await resolve()).getAddress(),
    signMessage: async (message) => (await resolve()).signMessage(message),
  };
}
