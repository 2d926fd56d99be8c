import type { Eip1193Provider } from "./eip-1193.ts";
import type { Signer, SignerLike } from "./signer.ts";

/** Loads what signers of ethers do not need. */
const loadAdapters = () => import("./adapt-signer.ts");

/**
 * Returns what signs for one account: the signer itself, or an adapter, the same one each time. A wallet without an
 * account opens its window only if it shares none with this page yet.
 *
 * @throws `INVALID_OPTION`; what the wallet throws
 */
export async function resolveSigner(value: SignerLike): Promise<Signer> {
  return isSigner(value) ? value : (await loadAdapters()).adaptSigner(value);
}

/** Smart accounts of viem have a `getAddress()`, too. */
function isSigner(value: SignerLike): value is Signer {
  const { getAddress, signMessage, type } = Object(value) as Record<string, unknown>;
  return typeof getAddress === "function" && typeof signMessage === "function" && type !== "smart";
}

/** Returns a signer for one account of a wallet; see `signByProvider`. */
export function createProviderSigner(provider: Eip1193Provider, address: string): Signer {
  return {
    getAddress: () => address,
    signMessage: async (message) => (await loadAdapters()).signByProvider(provider, address, message),
  };
}
