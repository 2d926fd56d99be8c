import { fromHex, toHex } from "../../base/streams/bytes.ts";

/**
 * Returns the address whose key signed a text (ERC-191, version 0x45), in lower case; `undefined` for anything that is no
 * signature. Signatures of contracts (ERC-1271) prove nothing here, as no chain is asked.
 *
 * @param signature - r, s and v: 65 bytes in hex
 */
export async function recoverSigner(text: string, signature: string): Promise<string | undefined> {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return undefined;
  const [{ secp256k1 }, { keccak_256 }] = await Promise.all([
    import("@noble/curves/secp256k1.js"),
    import("@noble/hashes/sha3.js"),
  ]);
  const encode = (part: string) => new TextEncoder().encode(part);
  const message = encode(text);
  const prefix = encode(`\x19Ethereum Signed Message:\n${message.length}`);
  const hash = keccak_256(Uint8Array.from([...prefix, ...message]));
  const bytes = fromHex(signature.slice(2));
  // Wallets write 0 and 1, or 27 and 28.
  const bit = (bytes[64] ?? 0) % 27;
  if (bit > 1) return undefined;
  try {
    const point = secp256k1.Signature.fromBytes(bytes.slice(0, 64)).addRecoveryBit(bit).recoverPublicKey(hash);
    return `0x${toHex(keccak_256(point.toBytes(false).slice(1)).slice(-20))}`;
  } catch {
    return undefined;
  }
}
