import { createHmac } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { HDNodeWallet, Mnemonic, verifyMessage, Wallet } from "ethers";
import { base58btc } from "multiformats/bases/base58";
import type { StoredMap } from "./state/stored-map.ts";

/** A wallet for tests and demos; it holds nothing on any public chain. */
export interface Account {
  /** Lower-case. */
  address: string;
  /** 64 hex characters after `0x`. */
  privateKey: string;
  /** Its API key, which is derived from its private key; present if the option `accounts` names a mnemonic, or is `fixed`. */
  apiKey?: string;
}

/** The mnemonic of `fixed` accounts. Everybody knows it: it is that of most networks for tests. */
const PUBLIC_MNEMONIC = "test test test test test test test test test test test junk";

/** Whether a value may be the option `accounts`. */
export function isAccountSource(value: unknown): boolean {
  return value === "random" || value === "fixed" || (typeof value === "string" && Mnemonic.isValidMnemonic(value));
}

/**
 * Creates accounts with their API keys.
 *
 * @param source - `random`, `fixed` or a mnemonic
 * @param stored - private keys of random accounts, by their positions
 */
export function createAccounts(source: string, count: number, stored: StoredMap<string>): Required<Account>[] {
  const keys = source === "random" ? makeKeys(count, stored) : deriveKeys(source, count);
  return keys.map((privateKey) => {
    const address = new Wallet(privateKey).address.toLowerCase();
    return { address, privateKey, apiKey: deriveApiKey(privateKey) };
  });
}

function makeKeys(count: number, stored: StoredMap<string>): string[] {
  return Array.from({ length: count }, (_, position) => {
    const key = stored.get(String(position)) ?? Wallet.createRandom().privateKey;
    if (!stored.has(String(position))) stored.set(String(position), key);
    return key;
  });
}

/** Derives the first keys of a mnemonic, as wallets do (BIP-44). */
function deriveKeys(source: string, count: number): string[] {
  const mnemonic = Mnemonic.fromPhrase(source === "fixed" ? PUBLIC_MNEMONIC : source);
  const parent = HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'/0'/0");
  return Array.from({ length: count }, (_, index) => parent.deriveChild(index).privateKey);
}

/** Derives an API key, in the network's form: two hex strings of 4 and 16 bytes. */
function deriveApiKey(privateKey: string): string {
  const hash = createHmac("sha256", privateKey).update("keeplight devnet API key").digest("hex");
  return `${hash.slice(0, 8)}.${hash.slice(8, 40)}`;
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
