import { computeCommitment } from "../crypto/commitment.ts";

/** One file whose key is in a recovery kit. */
export interface RecoveryEntry {
  /** Content id. */
  cid: string;
  /** As uploaded, unverified; `null` if unknown. It may contain any character: never use it as a path. */
  name: string | null;
  /** Of the decrypted file, in bytes, unverified; `null` if unknown. */
  size: number | null;
  /** How the encrypted file was split into blocks, for the option `chunkProfile` of `decrypt`; missing if unknown. */
  chunkProfile?: string;
}

/** An entry with its key. */
export interface RecoveryKey extends RecoveryEntry {
  /** 64 lower-case hex characters. A secret. */
  masterKey: string;
}

/** Formats entries as lines of JSON, each with the commitment to its key. JSON escapes line breaks and controls. */
export async function formatEntry({ cid, name, size, chunkProfile, masterKey }: RecoveryKey): Promise<Uint8Array> {
  const commitment = await computeCommitment(cid, masterKey);
  return new TextEncoder().encode(`${JSON.stringify({ cid, name, size, chunkProfile, masterKey, commitment })}\n`);
}
