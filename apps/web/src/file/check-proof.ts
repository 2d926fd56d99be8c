import type { VerifiedProof } from "@keeplight/proof";
import { isKeeplightError, type Proof } from "keeplight";

/** What a proof proves, or why it is invalid. */
export type ProofVerdict = { isValid: true; verified: VerifiedProof } | { isValid: false; reason: string };

/** Checks a proof in this page. */
export async function checkProof(proof: Proof): Promise<ProofVerdict> {
  const { verifyProof } = await import("@keeplight/proof");
  try {
    return { isValid: true, verified: await verifyProof(proof) };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { isValid: false, reason: error.message };
  }
}
