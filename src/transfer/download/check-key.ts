import { verifyCommitment } from "../../crypto/commitment.ts";
import { assertMasterKey } from "../../crypto/master-key.ts";

/**
 * Returns the key that the caller passed.
 *
 * @throws `INVALID_KEY`; `COMMITMENT_MISMATCH`
 */
export async function checkKey(
  cid: string,
  { key, commitment }: { key?: string | undefined; commitment?: string | undefined },
): Promise<string> {
  const masterKey = assertMasterKey(key);
  if (commitment !== undefined) await verifyCommitment(cid, masterKey, commitment);
  return masterKey;
}
