export { getProof, type Proof } from "./get-proof.ts";
export type { InclusionProof, MerklePath, ProofResponse } from "./read-proof.ts";
export type { VerifiedDeal, VerifiedInclusion, VerifiedProof } from "./types.ts";
export { verifyProof } from "./verify-proof.ts";
