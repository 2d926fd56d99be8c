import { invalidOption } from "../errors/input.ts";
import { fromHex, toHex } from "../streams/bytes.ts";
import { toChecksumAddress } from "./address.ts";
import type { Signer } from "./signer.ts";

/**
 * Returns the address whose key signed a text (ERC-191, version 0x45), in lower case; `undefined` for anything that is no
 * signature. Signatures of contracts (ERC-1271) prove nothing here, as no chain is asked.
 *
 * @param signature - r, s and v: 65 bytes in hex
 */
export async function recoverSigner(text: string, signature: string): Promise<string | undefined> {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return undefined;
  const { secp256k1, hashText, toAddress } = await loadCurve();
  const bytes = fromHex(signature.slice(2));
  // Wallets write 0 and 1, or 27 and 28.
  const bit = (bytes[64] ?? 0) % 27;
  if (bit > 1) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.slice(0, 64)).addRecoveryBit(bit);
    return toAddress(parsed.recoverPublicKey(hashText(text)).toBytes(false));
  } catch {
    return undefined;
  }
}

/**
 * Creates the signer of a private key, which signs like a wallet (ERC-191, version 0x45) and asks nobody. Its address has its
 * checksum (EIP-55), as wallets spell it.
 *
 * @param privateKey - 64 hex digits, with or without `0x`
 * @throws `INVALID_OPTION`, without the key
 */
export async function createKeySigner(privateKey: string): Promise<Signer> {
  const { secp256k1, hashText, toAddress } = await loadCurve();
  const [, digits = ""] = /^(?:0x)?([0-9a-f]{64})$/i.exec(privateKey) ?? [];
  const key = fromHex(digits);
  if (!secp256k1.utils.isValidSecretKey(key)) {
    throw invalidOption("privateKey", "64 hex characters that are a valid key");
  }
  const address = toChecksumAddress(toAddress(secp256k1.getPublicKey(key, false)));
  return {
    getAddress: () => address,
    async signMessage(text) {
      const [bit = 0, ...rest] = secp256k1.sign(hashText(text), key, { prehash: false, format: "recovered" });
      return `0x${toHex([...rest, 27 + bit])}`;
    },
  };
}

async function loadCurve() {
  const [{ secp256k1 }, { keccak_256 }] = await Promise.all([
    import("@noble/curves/secp256k1.js"),
    import("@noble/hashes/sha3.js"),
  ]);
  const encode = (part: string) => new TextEncoder().encode(part);
  return {
    secp256k1,
    hashText(text: string): Uint8Array {
      const message = encode(text);
      const prefix = encode(`\x19Ethereum Signed Message:\n${message.length}`);
      return keccak_256(Uint8Array.from([...prefix, ...message]));
    },
    /** @param publicKey - 65 bytes */
    toAddress: (publicKey: Uint8Array) => `0x${toHex(keccak_256(publicKey.slice(1)).slice(-20))}`,
  };
}
