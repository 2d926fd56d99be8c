import { stat } from "node:fs/promises";
import { isKeeplightError } from "keeplight";
import { joinPaths } from "../entries/join-paths.ts";
import { readLines, replaceLines } from "../entries/lines.ts";
import type { Line } from "../entries/types.ts";

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
