import { stat } from "node:fs/promises";
import { KeeplightError } from "keeplight";
import { readIntactLines, readLines, replaceLines } from "../json-lines.ts";
import type { FileProblem, LedgerRow } from "../ledger/ledger.ts";
import type { Places } from "./backup-set.ts";
import { joinPaths, type KnownEntry, type KnownFile, type ScannedEntry } from "./entries.ts";

/** Whether a file has to be sent. */
export function isToSend(line: ScannedEntry): line is KnownFile {
  return line.kind === "file" && line.size > 0 && line.cid === undefined;
}

/**
 * Completes the tree of a backup, once it has what a scan has found: files whose bytes are stored already, under another path,
 * get the content id of those. Memory grows with the number of changed files only. Returns how many files have to be sent.
 */
export async function completeTree({ index, tree }: Places): Promise<number> {
  const missing = new Set<string>();
  let files = 0;
  for await (const line of readLines<ScannedEntry>(tree)) {
    if (!isToSend(line)) continue;
    missing.add(line.sha256);
    files++;
  }
  const known = await findContents(index, missing);
  if (known.size > 0) await replaceLines(tree, addContents());
  return files;

  async function* addContents(): AsyncGenerator<ScannedEntry> {
    for await (const line of readLines<ScannedEntry>(tree)) {
      const cid = isToSend(line) ? known.get(line.sha256) : undefined;
      if (cid !== undefined) files--;
      yield line.kind === "file" && cid !== undefined ? { ...line, cid } : line;
    }
  }
}

async function findContents(index: string, missing: ReadonlySet<string>): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  if (missing.size === 0) return known;
  for await (const line of readLines<KnownEntry>(index)) {
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
export async function completeIndex({ tree, index }: Places, rows: AsyncIterable<LedgerRow>) {
  const skipped: SkippedFile[] = [];
  let sent = 0;
  let failed = 0;
  let problem: LedgerRow["problem"];
  await replaceLines(index, complete());
  return { sent, skipped };

  async function* complete(): AsyncGenerator<KnownEntry> {
    const known = rows[Symbol.asyncIterator]();
    let number = 0;
    for await (const line of readLines<ScannedEntry>(tree)) {
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
      if (before) yield { kind: "file", path: line.path, ...before };
    }
    if (problem) throw backupUnfinished(failed, problem);
  }
}

/** Files could not be stored, for a reason that is not their own. */
function backupUnfinished(files: number, { code, message }: FileProblem): KeeplightError {
  const what = files === 1 ? "1 file" : `${files} files`;
  const details = { files, reason: code };
  return new KeeplightError("BACKUP_UNFINISHED", `${what} of the backup could not be stored: ${message}`, { details });
}

/** Adds what a scan that was interrupted has found to the index, so that those files need not be read again. */
export async function keepHashes({ tree, index }: Places): Promise<void> {
  if (!(await stat(tree).catch(() => undefined))) return;
  await replaceLines(index, merge());

  async function* merge(): AsyncGenerator<KnownEntry> {
    for await (const { left, right } of joinPaths(readLines<KnownEntry>(index), readScanned())) {
      const line = right && right.kind !== "unread" ? right : left;
      if (line) yield line;
    }
  }

  async function* readScanned(): AsyncGenerator<ScannedEntry> {
    for await (const { value } of readIntactLines(tree, (line) => line as ScannedEntry)) yield value;
  }
}
