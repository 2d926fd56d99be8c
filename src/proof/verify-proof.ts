import type { InclusionProof, ProofResponse } from "./read-proof.ts";
import type { VerifiedInclusion, VerifiedProof } from "./types.ts";

/**
 * Verifies a proof of data segment inclusion (PoDSI, FRC-0058) on this machine: the piece and the index record
 * lead to one root, each from where it has to be; the record is about this piece, its place and size, and its
 * checksum is right. That a deal is about that root, and the piece about a file, is not in a proof.
 *
 * @param proof - what `getProof` answers, or the `proof` of one of its deals
 * @returns where the data is proved to be; of an answer, for each deal
 * @throws `PROOF_INVALID`; the message says what does not hold, `details.dealId` in which deal
 *
 * @example
 * const { deals } = await verifyProof(await getProof(cid));
 * console.log(deals[0].aggregateCid, deals[0].dealId);
 */
export async function verifyProof(proof: ProofResponse): Promise<VerifiedProof>;
export async function verifyProof(proof: InclusionProof): Promise<VerifiedInclusion>;
export async function verifyProof(proof: ProofResponse | InclusionProof): Promise<VerifiedProof | VerifiedInclusion> {
  const { checkProof } = await import("./check-proof.ts");
  return checkProof(proof);
}
