import { ed25519 } from "@noble/curves/ed25519.js";
import { base58btc } from "multiformats/bases/base58";

/** A wallet with an ed25519 key, as on Solana. */
export interface SolanaWallet {
  /** Base58, 44 characters. */
  address: string;
  /** Signs like a wallet's `signMessage`: 64 bytes. */
  sign(message: string): Uint8Array;
}

/** Creates a wallet. One key in twenty has a shorter address, which the network does not accept. */
export function createSolanaWallet(): SolanaWallet {
  const { secretKey, publicKey } = ed25519.keygen();
  const address = toBase58(publicKey);
  if (address.length !== 44) return createSolanaWallet();
  return { address, sign: (message) => ed25519.sign(new TextEncoder().encode(message), secretKey) };
}

/** Base58 without a prefix. */
export function toBase58(bytes: Uint8Array): string {
  return base58btc.encode(bytes).slice(1);
}
