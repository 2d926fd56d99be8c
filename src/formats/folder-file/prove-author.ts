import { sha256 } from "#platform";
import type { FolderFile, FolderManifest } from "./manifest.ts";

// A manifest may be forged: anyone can write one that names files of another account, and transfer it to that account. So
// it proves of each file that who wrote it had the file's key, who could have passed that key on without any manifest. A
// commitment proves nothing of the kind: any reader of a manifest can copy it. Therefore the proof covers all that the
// manifest says.

/** No other hash of this kit starts like these. */
const MANIFEST_DOMAIN = "keeplight folder v1";
const PROOF_DOMAIN = "keeplight folder proof v1";

/** What a manifest says, without its proofs. */
export type UnprovedManifest = Omit<FolderManifest, "proofs">;

/** Returns a function that computes the proof of one file of a manifest, by the file's content id and master key. */
export async function createProver({
  name,
  owner,
  createdAt,
  oneKey,
  files,
}: UnprovedManifest): Promise<(cid: string, masterKey: string) => Promise<string>> {
  const listed = files.map(({ path, cid, size, commitment, chunkProfile }: FolderFile) => [
    path,
    cid,
    size,
    commitment,
    ...(chunkProfile === undefined ? [] : [chunkProfile]),
  ]);
  const digest = await hash(
    `${MANIFEST_DOMAIN}\n${JSON.stringify([name, owner, createdAt, listed, ...(oneKey ? [oneKey] : [])])}`,
  );
  return (cid, masterKey) => hash(`${PROOF_DOMAIN}\n${digest}\n${cid}\n${masterKey}`);
}

async function hash(text: string): Promise<string> {
  const digest = await sha256(new TextEncoder().encode(text));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
