import { SigningKey } from "ethers/crypto";
import { hashMessage } from "ethers/hash";
import { computeAddress } from "ethers/transaction";
import type { Eip1193Provider, Signer } from "../../index.ts";

/** Signs with a private key: 64 hex digits, with or without `0x`. */
export function createKeySigner(privateKey: string): Signer {
  const key = new SigningKey(privateKey.startsWith("0x") ? privateKey : `0x${privateKey}`);
  return {
    getAddress: () => computeAddress(key.publicKey),
    signMessage: async (message) => key.sign(hashMessage(message)).serialized,
  };
}

/** Signs with the first account of a page's wallet. */
export function createWalletSigner(wallet: Eip1193Provider): Signer {
  const getAddress = async () => {
    const accounts = await wallet.request({ method: "eth_requestAccounts" });
    return Array.isArray(accounts) ? String(accounts[0]) : "";
  };
  return {
    getAddress,
    async signMessage(message) {
      const bytes = new TextEncoder().encode(message);
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return String(await wallet.request({ method: "personal_sign", params: [`0x${hex}`, await getAddress()] }));
    },
  };
}
