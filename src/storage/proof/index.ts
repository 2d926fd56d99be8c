export type { VerifiedDeal, VerifiedInclusion, VerifiedProof } from "./check-proof.ts";
export { getProof, type Proof } from "./get-proof.ts";
export type { InclusionProof, MerklePath, ProofResponse } from "./read-proof.ts";
export { verifyProof } from "./verify-proof.ts";
