import { sha256 } from "#platform";
import { invalidOption } from "../../base/errors/input.ts";
import { commitmentMismatch } from "../../base/errors/verification.ts";
import { toHex } from "../../base/streams/bytes.ts";
import { checkCid } from "../cid/content-id.ts";
import { assertMasterKey } from "./file-format.ts";

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

/** No other hash of this kit starts like this. */
const DOMAIN = "keeplight key commitment v1";

/** Computes the commitment of checked arguments; see {@link commitToKey}. */
export function computeCommitment(cid: string, masterKey: string): Promise<string> {
  return hashText(`${DOMAIN}\n${cid}\n${masterKey}`);
}

/** Returns the hex digits of SHA-256 over a text in UTF-8. */
export async function hashText(text: string): Promise<string> {
  return toHex(await sha256(new TextEncoder().encode(text)));
}

/** Throws `COMMITMENT_MISMATCH` unless the commitment is that of this key to this file. */
export async function verifyCommitment(cid: string, masterKey: string, commitment: string): Promise<void> {
  if ((await computeCommitment(cid, masterKey)) !== commitment) throw commitmentMismatch(cid);
}

/** Throws `INVALID_OPTION` unless the option is a commitment or left out. */
export function checkCommitment(commitment: unknown): void {
  if (commitment === undefined || (typeof commitment === "string" && /^[0-9a-f]{64}$/.test(commitment))) return;
  throw invalidOption("commitment", "64 lower-case hex characters, as commitToKey returns them");
}
