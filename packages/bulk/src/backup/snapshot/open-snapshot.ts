import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { type DecryptOptions, decrypt, isKeeplightError, type ToPath } from "keeplight";
import { cannotWrite, checkCid, pickOptions } from "keeplight/parts";
import { createTemporaryPath } from "keeplight/parts/node";
import type { ResolvedAccount } from "../backup-options.ts";
import { comparePaths, isBelow } from "../entries/compare-paths.ts";
import { readLines } from "../entries/lines.ts";
import type { Entry } from "../entries/types.ts";
import { invalidSnapshot } from "../errors.ts";
import { parseEntry } from "./check-entry.ts";
import { snapshotSchema } from "./get-snapshot.ts";
import { parseHeader, type SnapshotHeader } from "./header.ts";

/** A snapshot that was downloaded, decrypted and authenticated. */
export interface OpenedSnapshot {
  cid: string;
  header: SnapshotHeader;
  /** Yields its entries, checked, in the order of paths; throws `INVALID_SNAPSHOT`. */
  list(): AsyncGenerator<Entry>;
}

/**
 * Runs work on a snapshot, which is in a temporary file meanwhile. All of it is checked first: it has the entries that its
 * header announces, no two with one path, and nothing below anything but a folder.
 *
 * @throws `INVALID_SNAPSHOT`; what `decrypt` throws
 */
export async function withSnapshot<T>(
  cid: string,
  options: Omit<ResolvedAccount, "apiKey">,
  work: (snapshot: OpenedSnapshot) => Promise<T>,
): Promise<T> {
  cid = checkCid(cid);
  // It has the key of all files: after a kill, the next call that writes there removes it.
  const path = createTemporaryPath(tmpdir());
  try {
    await writeFile(path, "", { flag: "wx", mode: 0o600 }).catch((error) => {
      throw cannotWrite(path, error);
    });
    // Keeps the mode of what it replaces.
    await decrypt(cid, { ...pickOptions(options, snapshotSchema), to: path } as DecryptOptions & ToPath);
    const snapshot = { cid, header: await readHeader(cid, path), list: () => listEntries(cid, path) };
    await checkWhole(snapshot);
    return await work(snapshot);
  } finally {
    await rm(path, { force: true });
  }
}

/** Yields the lines of a decrypted file that may be anything. */
async function* readUntrusted(cid: string, path: string): AsyncGenerator<unknown> {
  try {
    yield* readLines<unknown>(path);
  } catch (error) {
    throw isKeeplightError(error, "INVALID_SOURCE") ? invalidSnapshot(cid, "it is another file, or damaged") : error;
  }
}

async function readHeader(cid: string, path: string): Promise<SnapshotHeader> {
  for await (const line of readUntrusted(cid, path)) {
    const header = parseHeader(line);
    if (typeof header === "string") throw invalidSnapshot(cid, header);
    return header;
  }
  throw invalidSnapshot(cid, "it is empty");
}

async function* listEntries(cid: string, path: string): AsyncGenerator<Entry> {
  let isHeader = true;
  let last: Entry | undefined;
  for await (const line of readUntrusted(cid, path)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const entry = parseEntry(line);
    if (typeof entry === "string") throw invalidSnapshot(cid, entry);
    const problem = last && findOrderProblem(last, entry);
    if (problem !== undefined) throw invalidSnapshot(cid, problem);
    yield entry;
    last = entry;
  }
}

/** In this order everything in a folder directly follows it: so a look at the last entry is enough. */
function findOrderProblem(last: Entry, { path }: Entry): string | undefined {
  if (comparePaths(last.path, path) >= 0) return "two entries have one path, or are not in order";
  if (last.kind !== "folder" && isBelow(path, last.path)) return "an entry is below a file or a link";
  return undefined;
}

async function checkWhole({ cid, header, list }: OpenedSnapshot): Promise<void> {
  let files = 0;
  let bytes = 0;
  for await (const entry of list()) {
    if (entry.kind !== "file") continue;
    files++;
    bytes += entry.size;
  }
  if (files !== header.files || bytes !== header.bytes) throw invalidSnapshot(cid, "it is incomplete");
}
