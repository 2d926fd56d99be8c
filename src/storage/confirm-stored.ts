import { KeeplightError } from "../errors/base.ts";
import { cidMismatch } from "../errors/verification.ts";
import type { KeyNodes } from "../kavach/node-client.ts";
import type { NodeAuth } from "../kavach/owner.ts";
import type { KeyShard } from "../kavach/shards/sharing.ts";
import type { ResolvedCall } from "../options.ts";
import type { ExpectedCids } from "./encrypted-cids.ts";
import type { CidVersion } from "./send.ts";

/** An encrypted file that was sent, and where it is said to be. */
export interface SentFile {
  name: string;
  /** Where the upload node, or the caller, says that it is stored. */
  cid: string;
  /** `undefined` if not all of it was sent. */
  expected: ExpectedCids | undefined;
  keyShards: readonly KeyShard[];
  /** Whether the caller vouches for the content id, so that it need not be read back. */
  vouched: boolean;
}

/** What confirming takes. */
export interface Confirming {
  nodes: KeyNodes;
  auth: NodeAuth;
  call: ResolvedCall;
  cidVersion: CidVersion;
  /** Refuse every content id that was not computed. */
  strict: boolean;
}

/**
 * Makes sure that saving the keys of files under these content ids loses no other file's key: each is the id of
 * the encrypted bytes. An upload node may cut files in a way that this kit does not compute; then no key may exist
 * under its id, and reading it back has to yield the encrypted bytes.
 *
 * @throws `CID_MISMATCH`, `ABORTED`
 */
export async function confirmStored(files: readonly SentFile[], confirming: Confirming): Promise<void> {
  for (const { name, cid, expected, vouched } of files) {
    if (!expected && !vouched) {
      throw new KeeplightError("INVALID_ANSWER", "The upload node answered before all was sent");
    }
    if (expected?.has(cid) || vouched || !confirming.strict) continue;
    throw cidMismatch({ name, expected: expected?.first ?? "", got: cid });
  }
  const unknown = files.filter(({ cid, expected }) => !expected?.has(cid));
  if (unknown.length === 0) return;
  const { checkUnknownCids } = await import("./check-unknown-cids.ts");
  await checkUnknownCids(unknown, confirming);
}
