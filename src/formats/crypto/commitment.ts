import { sha256 } from "#platform";
import { invalidOption } from "../../base/errors/input.ts";
import { commitmentMismatch } from "../../base/errors/recovery.ts";

/** No other hash of this kit starts like this. */
const DOMAIN = "keeplight key commitment v1";

/** Computes the commitment of checked arguments; see {@link commitToKey}. */
export async function computeCommitment(cid: string, masterKey: string): Promise<string> {
  const digest = await sha256(new TextEncoder().encode(`${DOMAIN}\n${cid}\n${masterKey}`));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
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
