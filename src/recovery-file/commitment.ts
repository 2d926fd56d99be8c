import { sha256 } from "#platform";
import { commitmentMismatch } from "../errors/recovery.ts";

/** No other hash of this kit starts like this. */
const DOMAIN = "keeplight key commitment v1";

/**
 * Commits to a file's key: lower-case hex of SHA-256 over the lines `keeplight key commitment v1`, the content id and the
 * master key (64 lower-case hex characters), with a line feed after the first two. AES-GCM alone allows to make a file
 * that two different keys open; those who have the same content id and commitment have the same content. A commitment
 * reveals nothing about the key, which is random.
 */
export async function commitToKey(cid: string, masterKey: string): Promise<string> {
  const digest = await sha256(new TextEncoder().encode(`${DOMAIN}\n${cid}\n${masterKey}`));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws `COMMITMENT_MISMATCH` unless the commitment is that of this key to this file. */
export async function verifyCommitment(cid: string, masterKey: string, commitment: string): Promise<void> {
  if ((await commitToKey(cid, masterKey)) !== commitment) throw commitmentMismatch(cid);
}
