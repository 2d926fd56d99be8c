import { earlyResponse } from "../../errors/transport.ts";
import { cidMismatch } from "../../errors/verification.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import type { Confirming, SentFile } from "./check-unknown-cids.ts";

/**
 * Checks that saving the keys of files under these content ids overwrites no other file's key: each must be the id of
 * the encrypted bytes. An upload node may split files in a way that this kit does not compute; then no key may exist
 * under its id, and reading it back must yield the encrypted bytes.
 *
 * @throws `CID_MISMATCH`, `ABORTED`
 */
export async function confirmStored(files: readonly SentFile[], confirming: Confirming): Promise<void> {
  for (const { name, cid, expected, vouched } of files) {
    if (!expected && !vouched) {
      throw earlyResponse();
    }
    if (expected?.has(cid) || vouched || !confirming.strict) continue;
    throw cidMismatch({ name, expected: expected?.first ?? "", got: cid });
  }
  const unknown = files.filter(({ cid, expected }) => !expected?.has(cid));
  if (unknown.length === 0) return;
  const { checkUnknownCids } = await loadOnDemand();
  await checkUnknownCids(unknown, confirming);
}
