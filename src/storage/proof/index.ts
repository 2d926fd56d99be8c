export type { VerifiedDeal, VerifiedInclusion, VerifiedProof } from "./check-proof.ts";
export { getProof } from "./get-proof.ts";
export type { InclusionProof, MerklePath, Proof, ProofResponse } from "./read-proof.ts";
export { verifyProof } from "./verify-proof.ts";
