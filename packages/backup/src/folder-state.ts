import { createHash } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { invalidOption } from "keeplight/parts";
import { removeLeftOver, replaceFile, syncFolder, takeLock, withWriteErrors } from "keeplight/parts/node";
import { readIntactLines, readLines, writeLines } from "./lines.ts";
import type { KnownEntry } from "./scan-tree.ts";
import type { SnapshotContent } from "./snapshot.ts";

/** The last snapshot of a folder that this machine has stored. */
export interface LastSnapshot extends SnapshotContent {
  cid: string;
  /** Content ids of snapshots of which it is not known whether their packs stay, this one or earlier ones: a later one replaces them. */
  unsure: string[];
}

/** What a state knows of one folder. Nothing of it is needed: without it, files are read again. */
export interface FolderState {
  /** The entries of the last snapshot, with what tells whether a file has changed. */
  readEntries(): AsyncGenerator<KnownEntry>;
  /** Writes the entries of the next one, which replace the last ones once it is stored. */
  writeNext(entries: AsyncIterable<KnownEntry>): Promise<void>;
  readNext(): AsyncGenerator<KnownEntry>;
  readLast(): Promise<LastSnapshot | undefined>;
  /** Keeps what was written, also without a snapshot: it is true of the files. */
  keepNext(last: LastSnapshot | undefined): Promise<void>;
  /** Keeps what is known of the last snapshot now. */
  keepLast(last: LastSnapshot): Promise<void>;
}

/**
 * Runs work while no other call, of this or another process, uses what a state has of a folder.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`
 */
export async function withFolderState<T>(
  state: string,
  root: string,
  work: (folder: FolderState) => Promise<T>,
): Promise<T> {
  const place = toPlace(state, root);
  const lock = await withWriteErrors(place, async () => {
    await mkdir(place, { recursive: true, mode: 0o700 });
    await removeLeftOver(state);
    return takeLock(place, "folder");
  });
  if (!lock) throw invalidOption("state", "a folder that no other backup of the same folder is using");
  return work(createFolderState(place)).finally(() => lock.release());
}

function toPlace(state: string, root: string): string {
  return join(state, "folders", createHash("sha256").update(root).digest("hex").slice(0, 32));
}

const toEntries = (place: string) => join(place, "entries.jsonl");

/** Yields the entries of the last snapshot, with what tells whether a file has changed; none without a state. */
export function readKnownEntries(state: string, root: string): AsyncGenerator<KnownEntry> {
  return readIntactLines<KnownEntry>(toEntries(toPlace(state, root)));
}

function createFolderState(place: string): FolderState {
  const entries = toEntries(place);
  const next = join(place, "next.jsonl");
  const last = join(place, "last.json");
  const writeLast = (snapshot: LastSnapshot) =>
    replaceFile(last, Buffer.from(JSON.stringify(snapshot)), { durable: true });
  return {
    readEntries: () => readIntactLines<KnownEntry>(entries),
    writeNext: (lines) => writeLines(next, lines),
    readNext: () => readLines<KnownEntry>(next),
    async readLast() {
      try {
        return { unsure: [], ...(JSON.parse(await readFile(last, "utf8")) as Omit<LastSnapshot, "unsure">) };
      } catch {
        return undefined;
      }
    },
    async keepNext(snapshot) {
      await withWriteErrors(place, async () => {
        if (snapshot) await writeLast(snapshot);
        else await rm(last, { force: true });
        await rename(next, entries);
        await syncFolder(place);
      });
    },
    keepLast: (snapshot) => withWriteErrors(place, () => writeLast(snapshot)),
  };
}

/** Returns the path of a state below a root, with `/` between folders, whatever links lead there. */
export async function findStateInside(root: string, state: string): Promise<string> {
  const below = relative(await realpath(root).catch(() => root), await realpath(state).catch(() => state));
  if (below === "" || `${root}${sep}`.startsWith(`${state}${sep}`))
    throw invalidOption("state", "a folder that is neither the one to back up nor above it");
  return below.split(sep).join("/");
}
