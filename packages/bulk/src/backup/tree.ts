import { rename, stat } from "node:fs/promises";
import { isKeeplightError } from "keeplight";
import { withWriteErrors } from "keeplight/parts/node";
import { readLines, replaceLines } from "../json-lines.ts";
import type { LedgerRow } from "../ledger/ledger.ts";
import type { Places } from "./backup-set.ts";
import { type Entry, joinPaths, type KnownFile, type Line } from "./entries.ts";
import { backupUnfinished } from "./errors.ts";

/** Whether a file has to be sent. */
export function isToSend(line: Line): line is KnownFile {
  return line.kind === "file" && line.size > 0 && line.cid === undefined;
}

/**
 * Turns what a scan has found into the tree of a backup: files whose bytes are stored already, under another path, get the
 * content id of those. Memory grows with the number of changed files only.
 *
 * @param places - files of lines: the scan, the index of the last scan, and the tree that is written
 * @returns how many files have to be sent
 * @throws `SOURCE_UNREADABLE`, `CANNOT_WRITE`
 */
export async function writeTree({ scan, index, tree }: Pick<Places, "scan" | "index" | "tree">): Promise<number> {
  const missing = new Set<string>();
  let files = 0;
  for await (const line of readLines<Line>(scan)) {
    if (!isToSend(line)) continue;
    missing.add(line.sha256);
    files++;
  }
  const known = await findContents(index, missing);
  if (known.size === 0) {
    await withWriteErrors(tree, () => rename(scan, tree));
    return files;
  }
  files = 0;
  await replaceLines(tree, addContents());
  return files;

  async function* addContents(): AsyncGenerator<Line> {
    for await (const line of readLines<Line>(scan)) {
      const cid = isToSend(line) ? known.get(line.sha256) : undefined;
      const completed = cid === undefined ? line : { ...line, cid };
      if (isToSend(completed)) files++;
      yield completed;
    }
  }
}

/** Finds the content ids of stored bytes by their SHA-256. */
async function findContents(index: string, missing: ReadonlySet<string>): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  if (missing.size === 0) return known;
  for await (const line of readLines<Line>(index)) {
    if (line.kind !== "file") continue;
    for (const { sha256, cid } of [line, ...(line.before ? [line.before] : [])]) {
      if (cid !== undefined && missing.has(sha256)) known.set(sha256, cid);
    }
  }
  return known;
}

/** A file that a snapshot has in its last stored version, or not at all. */
export interface SkippedFile {
  /** Below the folder of the backup. */
  path: string;
  /** Code of the error because of which it could not be read. */
  code: string;
}

/** Problems of single files: the others are stored regardless. */
const OF_A_FILE = new Set(["SOURCE_CHANGED", "SOURCE_UNREADABLE", "INVALID_SOURCE", "FILE_TOO_LARGE"]);

/**
 * Writes the index of a tree whose files are sent: each has its content id now. A file that could not be read has the
 * version that was stored before, if there is one.
 *
 * @param rows - of the files that had to be sent, in the order of the tree
 * @returns how many files are stored, and those that could not be read
 * @throws `BACKUP_UNFINISHED` if files could not be stored for another reason: then the index stays as it is
 */
export async function completeIndex(tree: string, index: string, rows: AsyncIterable<LedgerRow>) {
  const skipped: SkippedFile[] = [];
  let sent = 0;
  let failed = 0;
  let problem: LedgerRow["problem"];
  await replaceLines(index, complete());
  return { sent, skipped };

  async function* complete(): AsyncGenerator<Line> {
    const known = rows[Symbol.asyncIterator]();
    let number = 0;
    for await (const line of readLines<Line>(tree)) {
      if (line.kind === "unread") {
        skipped.push({ path: line.path, code: line.code });
        if (line.before) yield line.before;
        continue;
      }
      if (!isToSend(line)) {
        yield line;
        continue;
      }
      const { value: row } = await known.next();
      if (row?.path !== String(number++)) throw new Error("The ledger does not have the files of the tree");
      const { before, ...own } = line;
      if (row.cid !== undefined && !row.problem) {
        sent++;
        yield { ...own, cid: row.cid };
        continue;
      }
      if (row.problem && !OF_A_FILE.has(row.problem.code)) {
        failed++;
        problem ??= row.problem;
      }
      skipped.push({ path: line.path, code: row.problem?.code ?? "UNKNOWN" });
      if (before) yield { kind: "file", path: line.path, ...before } satisfies Entry;
    }
    if (problem) throw backupUnfinished(failed, problem);
  }
}

/** Adds what a scan that was interrupted has found to the index, so that those files need not be read again. */
export async function keepHashes(scan: string, index: string): Promise<void> {
  if (!(await stat(scan).catch(() => undefined))) return;
  await replaceLines(index, merge());

  async function* merge(): AsyncGenerator<Line> {
    for await (const { left, right } of joinPaths(readLines<Line>(index), readWholeLines(scan))) {
      const line = right && right.kind !== "unread" ? right : left;
      if (line) yield line;
    }
  }
}

/** Yields the lines of a file that may end anywhere. */
async function* readWholeLines(path: string): AsyncGenerator<Line> {
  try {
    yield* readLines<Line>(path);
  } catch (error) {
    if (!isKeeplightError(error, "INVALID_SOURCE")) throw error;
  }
}
