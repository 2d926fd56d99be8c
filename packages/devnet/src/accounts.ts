import { ed25519 } from "@noble/curves/ed25519.js";
import { verifyMessage, Wallet } from "ethers";
import { base58btc } from "multiformats/bases/base58";

/** A wallet for tests and demos; it holds nothing on any public chain. */
export interface Account {
  /** Lower-case. */
  address: string;
  /** 64 hex characters after `0x`. */
  privateKey: string;
}

export function createAccounts(count: number): readonly Account[] {
  return Array.from({ length: count }, () => {
    const { address, privateKey } = Wallet.createRandom();
    return { address: address.toLowerCase(), privateKey };
  });
}

/** Returns the canonical form, which the devnet stores and sends, or `undefined` for anything but an address. */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  // EVM: letter case is only a checksum
  if (/^0x[0-9a-f]{40}$/i.test(value)) return value.toLowerCase();
  // base58 of an ed25519 key: case-sensitive
  return /^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(value) ? value : undefined;
}

/** Returns whether the owner of `address` (normalized) signed `message`; `false` for a malformed signature. */
export function isSignedBy(address: string, message: string, signature: string): boolean {
  try {
    if (!address.startsWith("0x")) return verifyEd25519(address, message, signature);
    return verifyMessage(message, signature).toLowerCase() === address;
  } catch {
    return false;
  }
}

const SIGNATURE_BYTES = 64;

/**
 * Returns whether the owner of a base58 address, which is an ed25519 key, signed the bytes of `message` (RFC 8032).
 *
 * @param signature 64 bytes in base58, in hex with or without `0x`, or in base64: wallets return raw bytes, and their
 * callers encode them in any of these.
 * @throws for a malformed address.
 */
function verifyEd25519(address: string, message: string, signature: string): boolean {
  const bytes = decodeSignature(signature);
  if (bytes?.length !== SIGNATURE_BYTES) return false;
  return ed25519.verify(bytes, new TextEncoder().encode(message), decodeBase58(address), { zip215: false });
}

function decodeSignature(text: string): Uint8Array | undefined {
  const hex = /^(?:0x)?([0-9a-f]{128})$/i.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex");
  if (/^[A-Za-z0-9+/]{86}==$/.test(text)) return Buffer.from(text, "base64");
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) ? decodeBase58(text) : undefined;
}

function decodeBase58(text: string): Uint8Array {
  return base58btc.decode(`z${text}`);
}
