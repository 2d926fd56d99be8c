import { checkCid } from "../cid/check-cid.ts";
import { computeCommitment } from "./commitment.ts";
import { assertMasterKey } from "./master-key.ts";

/**
 * Commits to a file's key: lower-case hex of SHA-256 over the lines `keeplight key commitment v1`, the content id and the
 * master key (64 lower-case hex characters), with a line feed after the first two. AES-GCM alone allows to make a file
 * that two different keys open; those who have the same content id and commitment have the same content. A commitment
 * reveals nothing about the key, which is random: it may be public.
 *
 * @throws `INVALID_CID`, `INVALID_KEY`
 *
 * @example
 * const commitment = await commitToKey(cid, masterKey); // the owner publishes it
 * await decrypt(cid, { signer, commitment }); // a recipient accepts no other key
 */
export async function commitToKey(cid: string, masterKey: string): Promise<string> {
  return computeCommitment(checkCid(cid), assertMasterKey(masterKey));
}
