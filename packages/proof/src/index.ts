export { type VerifiedDeal, type VerifiedInclusion, type VerifiedProof, verifyProof } from "./verify-proof.ts";
