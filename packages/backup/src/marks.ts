import { mapInOrder } from "keeplight/parts";
import { invalidBackup } from "./invalid-backup.ts";
import type { ResolvedAccount, ResolvedWrite } from "./options.ts";
import { isOutage, withPatience } from "./patience.ts";
import { isLost, LATE_MS, readStored, type StoredFile, store, toStoredName } from "./remote.ts";
import type { Repository } from "./repository.ts";
import { openSealedFile, sealFile } from "./sealed-file.ts";

// A mark says that packs are going to be deleted: from then on no backup relies on them.

/** A mark that an account has. */
export interface Mark {
  file: StoredFile;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Content ids. */
  packs: string[];
}

const VERSION = 1;
const READ_AT_ONCE = 4;

/**
 * Reads the marks of a repository. One that cannot be decrypted is not its own, and marks nothing.
 *
 * @param onLost - receives one that the network has lost; without it the call throws `INVALID_SNAPSHOT`
 */
export async function readMarks(
  stored: readonly StoredFile[],
  { id, keys }: Repository,
  options: ResolvedAccount,
  onLost = refuseLost,
): Promise<Mark[]> {
  const files = stored.filter(({ kind, repository }) => kind === "mark" && repository === id);
  const marks: Mark[] = [];
  const read = mapInOrder(files, { limit: READ_AT_ONCE, signal: options.signal }, async (file, signal) => {
    const bytes = await readStored(file.cid, { ...options, signal }).catch((error: unknown) => {
      if (!isLost(error) || Date.now() - (file.createdAt ?? Date.now()) < LATE_MS) throw error;
      onLost(file);
      return undefined;
    });
    return { file, value: bytes && openSealedFile("mark", bytes, keys) };
  });
  for await (const { file, value } of read) {
    const { version, createdAt, packs } = Object(value) as Record<string, unknown>;
    if (version === VERSION && Array.isArray(packs)) marks.push({ file, createdAt: Number(createdAt), packs });
  }
  return marks;
}

/** Reads the marks once the network has all of them: another machine may have made one just now. Throws as {@link readMarks}. */
export function waitForMarks(
  stored: readonly StoredFile[],
  repository: Repository,
  options: ResolvedWrite,
): Promise<Mark[]> {
  const read = () => readMarks(stored, repository, options);
  return withPatience(read, options, (error) => isOutage(error) || isLost(error));
}

function refuseLost({ cid }: StoredFile): void {
  throw invalidBackup(cid, "which packs are going to be deleted is lost; pruning removes this file");
}

/** Marks packs. */
export async function storeMark(
  packs: readonly string[],
  repository: Repository,
  options: ResolvedWrite,
): Promise<void> {
  const value = { version: VERSION, createdAt: Date.now(), packs };
  const bytes = sealFile("mark", repository.cid, value, repository.keys);
  await withPatience(() => store(bytes, toStoredName(repository.id, "mark"), options, options.storage), options);
}
