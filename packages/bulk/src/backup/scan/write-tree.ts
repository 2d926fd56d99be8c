import { rename } from "node:fs/promises";
import { cannotWrite } from "keeplight/parts";
import { readLines, replaceLines } from "../entries/lines.ts";
import type { KnownFile, Line } from "../entries/types.ts";

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
export async function writeTree(places: { scan: string; index: string; tree: string }): Promise<number> {
  const { scan, index, tree } = places;
  const missing = new Set<string>();
  let files = 0;
  for await (const line of readLines<Line>(scan)) {
    if (!isToSend(line)) continue;
    missing.add(line.sha256);
    files++;
  }
  const known = await findContents(index, missing);
  if (known.size === 0) {
    await rename(scan, tree).catch((error) => {
      throw cannotWrite(tree, error);
    });
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
