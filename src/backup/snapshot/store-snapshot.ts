import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { invalidResponse } from "../../errors/transport.ts";
import type { UploadEncryptedOptions } from "../../transfer/upload/encrypted-upload-options.ts";
import { uploadEncrypted } from "../../transfer/upload/upload-encrypted.ts";
import { readLines, writeLines } from "../entries/lines.ts";
import type { Line } from "../entries/types.ts";
import type { BackupSet, StoredSnapshot } from "../set/backup-set.ts";
import { toHeaderLine } from "./header.ts";
import { toSnapshotName } from "./stored-names.ts";

/**
 * Encrypts and stores what an index lists, unless the last snapshot has exactly that.
 *
 * @param folder - of the state, for a temporary file
 * @throws what `uploadEncrypted` throws
 */
export async function storeSnapshot(
  { id, name, encryption, snapshots }: BackupSet,
  { folder, index, upload }: { folder: string; index: string; upload: UploadEncryptedOptions },
): Promise<StoredSnapshot> {
  const summary = await summarise(index);
  const last = snapshots.at(-1);
  if (last?.digest === summary.digest) return last;
  const { digest, ...counts } = summary;
  const createdAt = Math.max(Date.now(), (last?.createdAt ?? 0) + 1);
  const header = { set: id, name, createdAt, ...counts, ...(encryption ? { key: encryption.key } : {}) };
  const path = join(folder, "snapshot.jsonl");
  try {
    await writeLines(path, withHeader(toHeaderLine(header), index));
    const [stored] = await uploadEncrypted(path, { ...upload, name: toSnapshotName(id, createdAt) });
    if (!stored) throw invalidResponse({ method: "POST", url: "" }, "The upload node names nothing");
    return { cid: stored.Hash, createdAt, ...counts, digest };
  } finally {
    // It has the key of all files.
    await rm(path, { force: true });
  }
}

async function* withHeader(header: object, index: string): AsyncGenerator<object> {
  yield header;
  yield* listEntries(index);
}

/** Yields what a snapshot says about the entries of an index: only what is stored. */
async function* listEntries(index: string): AsyncGenerator<object> {
  for await (const line of readLines<Line>(index)) {
    if (line.kind !== "file") {
      yield line;
      continue;
    }
    const { state: _, before: __, ...entry } = line;
    if (entry.size === 0 || entry.cid !== undefined) yield entry;
  }
}

async function summarise(index: string): Promise<{ files: number; bytes: number; digest: string }> {
  const hash = createHash("sha256");
  let files = 0;
  let bytes = 0;
  for await (const entry of listEntries(index) as AsyncGenerator<{ kind: string; size: number }>) {
    hash.update(`${JSON.stringify(entry)}\n`);
    if (entry.kind !== "file") continue;
    files++;
    bytes += entry.size;
  }
  return { files, bytes, digest: hash.digest("hex") };
}
