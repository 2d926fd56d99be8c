import type { Proof, VerifiedProof } from "keeplight";
import { useKit } from "./kit-provider.ts";
import { type Loaded, useLoad } from "./use-load.ts";

/** A proof, and what it proves. */
export interface CheckedProof {
  /** As the network sent it. */
  proof: Proof;
  /** What `verifyProof` found in this page: where the file is, in each deal. */
  verified: VerifiedProof;
}

/**
 * The proof that storage deals hold a file, verified in this page. The state is `failed` with `PROOF_NOT_READY` until
 * there is one, and with `PROOF_INVALID` if it is wrong. Loads on mount, when `cid` changes, and by `reload`.
 */
export function useProof(cid: string): Loaded<CheckedProof> {
  const kit = useKit();
  const { state, reload } = useLoad<CheckedProof>(
    async (signal) => {
      const proof = await kit.getProof(cid, { signal });
      return { proof, verified: await kit.verifyProof(proof) };
    },
    kit,
    cid,
  );
  return { state, reload };
}
