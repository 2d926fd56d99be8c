import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { cannotWrite, resolveOptions, uploadEncryptedSchema, uploadKeysFirst } from "keeplight/parts";
import type { ResolvedAccount } from "../backup-options.ts";
import { readLines, writeLines } from "../entries/lines.ts";
import type { Line, UnreadEntry } from "../entries/types.ts";
import type { BackupSet, StoredSnapshot } from "../set/backup-set.ts";
import { type SnapshotHeader, toHeaderLine } from "./header.ts";
import { toSnapshotName } from "./stored-names.ts";

/**
 * Encrypts and stores what an index lists, unless the last snapshot has exactly that.
 *
 * @param folder - of the state, for a temporary file
 * @throws what `uploadKeysFirst` throws
 */
export async function storeSnapshot(
  { id, name, encryption, snapshots }: BackupSet,
  { folder, index, account }: { folder: string; index: string; account: ResolvedAccount },
): Promise<StoredSnapshot> {
  const path = join(folder, "snapshot.jsonl");
  try {
    const { digest, ...counts } = await writeEntries(path, index);
    const last = snapshots.at(-1);
    if (last?.digest === digest) return last;
    const createdAt = Math.max(Date.now(), (last?.createdAt ?? 0) + 1);
    const header = { set: id, name, createdAt, ...counts, ...(encryption ? { key: encryption.key } : {}) };
    await writeHeader(path, header);
    const upload = { ...account, name: toSnapshotName(id, createdAt) };
    const stored = await uploadKeysFirst(path, resolveOptions(uploadEncryptedSchema, upload));
    return { cid: stored.Hash, createdAt, ...counts, digest };
  } finally {
    // It has the key of all files.
    await rm(path, { force: true });
  }
}

/** Writes the entries of a snapshot, with room for its header, which their number is part of. */
async function writeEntries(path: string, index: string) {
  const hash = createHash("sha256");
  const counts = { files: 0, bytes: 0 };

  async function* list(): AsyncGenerator<object> {
    yield { type: " ".repeat(HEADER_BYTES - JSON.stringify({ type: "" }).length - 1) };
    for await (const entry of listEntries(index)) {
      hash.update(`${JSON.stringify(entry)}\n`);
      if (entry.kind === "file") {
        counts.files++;
        counts.bytes += entry.size;
      }
      yield entry;
    }
  }

  await writeLines(path, list());
  return { ...counts, digest: hash.digest("hex") };
}

/** Writes the header into the room that is left for it. */
async function writeHeader(path: string, header: SnapshotHeader): Promise<void> {
  const line = new Uint8Array(HEADER_BYTES).fill(SPACE);
  line.set(new TextEncoder().encode(JSON.stringify(toHeaderLine(header))));
  line[HEADER_BYTES - 1] = NEWLINE;
  try {
    const handle = await open(path, "r+");
    try {
      await handle.write(line, 0, line.length, 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** The room for a header, in bytes: a name has at most 255, six times as long if every byte is escaped. */
const HEADER_BYTES = 2_048;

const SPACE = 0x20;
const NEWLINE = 0x0a;

/** Yields what a snapshot says about the entries of an index: only what is stored. */
async function* listEntries(index: string): AsyncGenerator<Exclude<Line, UnreadEntry>> {
  for await (const line of readLines<Line>(index)) {
    // An index has none that was not read.
    if (line.kind === "unread") continue;
    if (line.kind !== "file") {
      yield line;
      continue;
    }
    const { state: _, before: __, ...entry } = line;
    if (entry.size === 0 || entry.cid !== undefined) yield entry;
  }
}
