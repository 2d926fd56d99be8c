export { getProof } from "./get-proof.ts";
export type { InclusionProof, MerklePath, Proof, ProofResponse } from "./read-proof.ts";
