import { verifyMessage } from "ethers";
import { verifyEd25519 } from "./ed25519.ts";

/** A signature scheme and the addresses that it applies to. */
interface SignatureScheme {
  appliesTo: (address: string) => boolean;
  verify: (address: string, message: string, signature: string) => boolean;
}

const schemes: readonly SignatureScheme[] = [
  {
    appliesTo: (address) => address.startsWith("0x"),
    verify: (address, message, signature) => verifyMessage(message, signature).toLowerCase() === address,
  },
  { appliesTo: (address) => !address.startsWith("0x"), verify: verifyEd25519 },
];

/** Returns whether the owner of `address` (normalized) signed `message`; `false` for a malformed signature. */
export function isSignedBy(address: string, message: string, signature: string): boolean {
  const scheme = schemes.find(({ appliesTo }) => appliesTo(address));
  if (!scheme) return false;
  try {
    return scheme.verify(address, message, signature);
  } catch {
    return false;
  }
}
