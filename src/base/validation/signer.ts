import type { Eip1193ProviderLike, ViemClient } from "./eip-1193.ts";

/** Anything that signs for an address: an ethers signer, or an object of one's own. */
export interface Signer {
  /** An EVM address, or a 44-character base58 one. */
  getAddress(): Promise<string> | string;
  /** Signs a string: by ERC-191 for an EVM address, by ed25519 for a base58 one. */
  signMessage(message: string): Promise<string>;
}

/** An account of viem that signs by itself, local or smart; or any object with an address that signs in viem's form. */
export interface ViemSigner {
  /** The address that it signs for. */
  address: string;
  /** `({ message }) => Promise<signature>`. */
  // Not typed in full: in a union with `Signer`, TypeScript could not infer the parameter of either.
  signMessage: CallableFunction;
}

/**
 * What can be a `signer`: one of ethers or one's own, an account of viem, a `WalletClient` of viem (as wagmi's
 * `useWalletClient` returns it), or a wallet's provider (EIP-1193), of which the first account signs.
 */
export type SignerLike = Signer | ViemSigner | ViemClient | Eip1193ProviderLike;
