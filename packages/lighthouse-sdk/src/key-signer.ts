import { SigningKey } from "ethers/crypto";
import { hashMessage } from "ethers/hash";
import { computeAddress } from "ethers/transaction";
import type { Signer } from "keeplight";

/** Signs with a private key: 64 hex digits, with or without `0x`. */
export function createKeySigner(privateKey: string): Signer {
  const key = new SigningKey(privateKey.startsWith("0x") ? privateKey : `0x${privateKey}`);
  return {
    getAddress: () => computeAddress(key.publicKey),
    signMessage: async (message) => key.sign(hashMessage(message)).serialized,
  };
}
