import { ctr } from "@noble/ciphers/aes.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, concatBytes, randomBytes } from "@noble/hashes/utils.js";
import { HDKey } from "@scure/bip32";
import { entropyToMnemonic, mnemonicToSeed } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";

/** Where wallets look for the first account of a recovery phrase (BIP 44). */
const FIRST_ACCOUNT = "m/44'/60'/0'/0/0";

/** An account of the EVM, as a keystore holds it. */
interface DerivedAccount {
  /** `0x` and 40 lower-case hex digits. */
  address: string;
  /** 32 bytes. */
  privateKey: Uint8Array;
  /** Entropy of the recovery phrase (BIP 39) that the key was derived from, at {@link FIRST_ACCOUNT}. */
  entropy: Uint8Array;
}

/** Derives the first account of the English recovery phrase (BIP 39, 32 and 44) that encodes `entropy`: 16 to 32 bytes. */
export async function deriveAccount(entropy: Uint8Array): Promise<DerivedAccount> {
  const seed = await mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(FIRST_ACCOUNT);
  if (!privateKey) throw new TypeError("a key derived from a private one is private");
  const publicKey = secp256k1.getPublicKey(privateKey, false);
  const address = `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(-20))}`;
  return { address, privateKey, entropy };
}

/** Cost of guessing a password: what wallets use, about a second and 128 MiB. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;
const PROGRESS_STEP = 0.005;

/**
 * Encrypts an account into a keystore (Web3 Secret Storage, version 3), with its recovery phrase in the extra section
 * that ethers reads. Unlike ethers' own writer this one yields to other work while scrypt runs: otherwise an abort would
 * not be noticed and no progress would be drawn.
 *
 * @param onProgress - receives fractions from 0 to 1; an error that it throws ends the work
 */
export async function encryptKeystore(
  account: DerivedAccount,
  password: string,
  onProgress: (fraction: number) => void,
): Promise<string> {
  let reported = Number.NEGATIVE_INFINITY;
  /** Reports steps of a minimum size, but not the end, which follows when all is done. */
  function reportSteps(fraction: number): void {
    if (fraction >= 1 || fraction < reported + PROGRESS_STEP) return;
    reported = fraction;
    onProgress(fraction);
  }

  const salt = randomBytes(32);
  // The format's own key is the first half; the other one is for the recovery phrase.
  const scrypt = { ...SCRYPT, dkLen: 64, onProgress: reportSteps };
  const key = await scryptAsync(password.normalize("NFKC"), salt, scrypt);
  const iv = randomBytes(16);
  const ciphertext = ctr(key.subarray(0, 16), iv).encrypt(account.privateKey);
  const mac = keccak_256(concatBytes(key.subarray(16, 32), ciphertext));
  const phraseIv = randomBytes(16);
  const phrase = ctr(key.subarray(32, 64), phraseIv).encrypt(account.entropy);
  const keystore = JSON.stringify({
    version: 3,
    id: crypto.randomUUID(),
    address: account.address.slice(2),
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: bytesToHex(iv) },
      ciphertext: bytesToHex(ciphertext),
      kdf: "scrypt",
      kdfparams: { n: SCRYPT.N, r: SCRYPT.r, p: SCRYPT.p, dklen: 32, salt: bytesToHex(salt) },
      mac: bytesToHex(mac),
    },
    "x-ethers": {
      version: "0.1",
      path: FIRST_ACCOUNT,
      locale: "en",
      mnemonicCounter: bytesToHex(phraseIv),
      mnemonicCiphertext: bytesToHex(phrase),
    },
  });
  onProgress(1);
  return keystore;
}
