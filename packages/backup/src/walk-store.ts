import { invalidSource, throwIfAborted } from "keeplight/parts";
import { isBelow, toSortKey } from "./entries.ts";
import type { FileFacts } from "./file-facts.ts";
import { type Patience, withPatience } from "./patience.ts";
import { addChunks } from "./read-file.ts";
import type { FoundFile } from "./scan.ts";
import type { SkippedFile } from "./scan-tree.ts";
import { type BackupStore, checkStoreFile, readStoreFile, type StoreFile } from "./store.ts";

export interface StoreWalk extends Patience {
  /** Whether a path is backed up; that of a folder ends with `/`. */
  filter: ((path: string) => boolean) | undefined;
  /** Receives what a backup cannot have. */
  onSkipped(file: SkippedFile): void;
}

/**
 * Yields all files of a store in the order of paths. Takes some hundred bytes of memory for each: a store has another order. A file
 * whose name others have as that of their folder is left out, because no folder can have both.
 *
 * @throws `INVALID_SOURCE`, `ABORTED`; what listing the store throws
 */
export async function* walkStore(store: BackupStore, walk: StoreWalk): AsyncGenerator<FoundFile> {
  const { onSkipped, onError, signal } = walk;
  const isIncluded = createPathFilter(walk.filter);
  const files = (await listFiles(store, walk)).filter(({ path }) => isIncluded(path));
  for (const [at, file] of files.entries()) {
    throwIfAborted(signal);
    const next = files[at + 1]?.path ?? "";
    if (next === file.path) throw invalidSource(`${file.path} is listed twice`, { name: file.path });
    if (isBelow(next, file.path)) onSkipped({ path: file.path, code: "DUPLICATE_NAME" });
    else yield toFound(store, file, onError);
  }
}

/** Lists the files of a store, sorted. */
async function listFiles(store: BackupStore, { onSkipped, ...patience }: StoreWalk): Promise<StoreFile[]> {
  const files: StoreFile[] = [];
  // A listing that continues finds some again.
  const skipped = new Map<string, string>();
  await withPatience(async () => {
    const list = store.list(files.at(-1)?.path, ({ path, code }) => void skipped.set(path, code), patience.signal);
    for await (const file of list) files.push(checkStoreFile(file));
  }, patience);
  for (const [path, code] of skipped) onSkipped({ path, code });
  const keyed = files.map((file) => ({ key: toSortKey(file.path), file }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ file }) => file);
}

/** Creates what decides whether paths, which are sorted, are backed up: folders first, and nothing below those that are not. */
function createPathFilter(filter: StoreWalk["filter"]): (path: string) => boolean {
  if (!filter) return () => true;
  let accepted: string[] = [];
  let refused: string | undefined;
  return (path) => {
    if (refused !== undefined && path.startsWith(refused)) return false;
    accepted = accepted.filter((folder) => path.startsWith(folder));
    for (const { index } of path.matchAll(/\//g)) {
      const folder = path.slice(0, index + 1);
      if (accepted.includes(folder)) continue;
      if (!filter(folder)) {
        refused = folder;
        return false;
      }
      accepted.push(folder);
    }
    return filter(path);
  };
}

/** A file whose time alone shows whether it has changed, and that was changed so recently, in milliseconds, may change again. */
const RECENT_MS = 900_000;

/** A store has no permissions: what is restored is for its owner alone. */
const MODE = 0o600;

function toFound(store: BackupStore, file: StoreFile, onError: Patience["onError"]): FoundFile {
  const { path, size, mtime = 0, etag } = file;
  const facts: FileFacts = { kind: "file", path, mode: MODE, mtime, size };
  // Its clock may be some minutes off.
  const isCertain = etag !== undefined || (file.mtime !== undefined && Date.now() - mtime > RECENT_MS);
  const state = isCertain ? { state: `${size} ${mtime} ${etag ?? ""}` } : {};
  return {
    kind: "file",
    path,
    facts,
    ...state,
    async read({ gear, add, signal = new AbortController().signal }) {
      return {
        ...facts,
        chunks: await addChunks(readStoreFile(store, file, signal, onError), { gear, add }),
        ...state,
      };
    },
  };
}
