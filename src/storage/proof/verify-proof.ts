import { copyInput } from "../../base/operation.ts";
import type { VerifiedInclusion, VerifiedProof } from "./check-proof.ts";
import type { InclusionProof, ProofResponse } from "./read-proof.ts";

/**
 * Verifies a proof of data segment inclusion (PoDSI, FRC-0058) on this machine: the piece and the index record
 * lead to one root, each from its required position; the record names this piece, its offset and its size, and its
 * checksum is right. A proof does not show that a deal is about that root, nor that the piece is about a file.
 *
 * @param proof - a response of `getProof`, or the `proof` of one of its deals
 * @returns the proved location of the data; for a response, in each deal
 * @throws `PROOF_INVALID`; the message names the check that failed, `details.dealId` the deal
 *
 * @example
 * const { deals } = await verifyProof(await getProof(cid));
 * console.log(deals[0].aggregateCid, deals[0].dealId);
 */
export async function verifyProof(proof: ProofResponse): Promise<VerifiedProof>;
export async function verifyProof(proof: InclusionProof): Promise<VerifiedInclusion>;
export async function verifyProof(proof: ProofResponse | InclusionProof): Promise<VerifiedProof | VerifiedInclusion> {
  proof = copyInput(proof, "proof");
  const { checkProof } = await import("./check-proof.ts");
  return checkProof(proof);
}
