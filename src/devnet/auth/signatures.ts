import { verifyMessage } from "ethers";
import { isEd25519Signed } from "./ed25519.ts";

/** One way to sign: which addresses it is for, and whether a signature holds. */
interface SignatureScheme {
  signs: (address: string) => boolean;
  verify: (address: string, message: string, signature: string) => boolean;
}

const schemes: readonly SignatureScheme[] = [
  {
    signs: (address) => address.startsWith("0x"),
    verify: (address, message, signature) => verifyMessage(message, signature).toLowerCase() === address,
  },
  { signs: (address) => !address.startsWith("0x"), verify: isEd25519Signed },
];

/** Whether the owner of `address` (normalized) signed `message`. A malformed signature is just a wrong one. */
export function isSignedBy(address: string, message: string, signature: string): boolean {
  const scheme = schemes.find(({ signs }) => signs(address));
  if (!scheme) return false;
  try {
    return scheme.verify(address, message, signature);
  } catch {
    return false;
  }
}
