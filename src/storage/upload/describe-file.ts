import { computeCommitment } from "../../formats/crypto/commitment.ts";
import { plaintextSize } from "../../formats/crypto/file-format.ts";
import type { FolderFile } from "../../formats/folder-file/manifest.ts";
import { findChunkProfile, restoreAttempt } from "./encrypted-cids.ts";
import type { FileState } from "./upload-entry.ts";

/** Describes a stored file for a list of files. Returns `undefined` if it is not certain that its bytes are stored there. */
export async function describeFile(
  file: FileState,
  cid = file.stored?.Hash,
): Promise<Omit<FolderFile, "path"> | undefined> {
  const attempt = restoreAttempt(file, cid);
  if (!cid || !file.masterKey || !attempt) return undefined;
  const commitment = await computeCommitment(cid, file.masterKey);
  const chunkProfile = findChunkProfile(attempt, cid);
  return { cid, size: plaintextSize(attempt.size), commitment, ...(chunkProfile ? { chunkProfile } : {}) };
}
