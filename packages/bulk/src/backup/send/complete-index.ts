import type { LedgerRow } from "../../ledger/types.ts";
import { readLines, replaceLines } from "../entries/lines.ts";
import type { Entry, Line } from "../entries/types.ts";
import { backupUnfinished } from "../errors.ts";
import { isToSend } from "../scan/write-tree.ts";

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
export async function completeIndex(
  tree: string,
  index: string,
  rows: AsyncIterable<LedgerRow>,
): Promise<{ sent: number; skipped: SkippedFile[] }> {
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
