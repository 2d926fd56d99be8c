import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { HDKey } from "@scure/bip32";
import { entropyToMnemonic, mnemonicToSeed } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";

/** Where wallets look for the first account of a recovery phrase (BIP 44). */
export const FIRST_ACCOUNT = "m/44'/60'/0'/0/0";

/** An account of the EVM. */
interface DerivedAccount {
  /** `0x` and 40 lower-case hex digits. */
  address: string;
  /** 32 bytes. */
  privateKey: Uint8Array;
}

/** Derives the first account of the English recovery phrase (BIP 39, 32 and 44) that encodes `entropy`: 16 to 32 bytes. */
export async function deriveAccount(entropy: Uint8Array): Promise<DerivedAccount> {
  const seed = await mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(FIRST_ACCOUNT);
  if (!privateKey) throw new TypeError("a key derived from a private one is private");
  const publicKey = secp256k1.getPublicKey(privateKey, false);
  return { address: `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(-20))}`, privateKey };
}
