import { computeCommitment } from "../../crypto/commitment.ts";
import { assertMasterKey } from "../../crypto/master-key.ts";
import { invalidOption } from "../../errors/input.ts";
import { commitmentMismatch } from "../../errors/recovery.ts";

/**
 * Returns the keys that the caller passed, each once: with `commitment` only the committed one.
 *
 * @throws `INVALID_KEY`; `INVALID_OPTION` for an empty list; `COMMITMENT_MISMATCH`
 */
export async function checkKeys(
  cid: string,
  { key, commitment }: { key?: string | readonly string[] | undefined; commitment?: string | undefined },
): Promise<string[]> {
  const keys = [...new Set((Array.isArray(key) ? key : [key]).map(assertMasterKey))];
  if (keys.length === 0) throw invalidOption("key", "a key, or a list of at least one");
  if (commitment === undefined) return keys;
  for (const masterKey of keys) if ((await computeCommitment(cid, masterKey)) === commitment) return [masterKey];
  throw commitmentMismatch(cid);
}
