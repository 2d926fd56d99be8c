import { isKeeplightError, type Proof, verifyProof } from "keeplight";

/** Whether a proof is valid, and if not, why. */
export type ProofVerdict = { isValid: true } | { isValid: false; reason: string };

/** Checks a proof in this page. */
export async function checkProof(proof: Proof): Promise<ProofVerdict> {
  try {
    await verifyProof(proof);
    return { isValid: true };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { isValid: false, reason: error.message };
  }
}
