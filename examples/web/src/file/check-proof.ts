import { isKeeplightError, type Proof, verifyProof } from "keeplight";

/** Whether a proof holds, and if not, why. */
export type ProofVerdict = { holds: true } | { holds: false; reason: string };

/** Checks a proof in this page. */
export async function checkProof(proof: Proof): Promise<ProofVerdict> {
  try {
    await verifyProof(proof);
    return { holds: true };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { holds: false, reason: error.message };
  }
}
