import { appendFile } from "node:fs/promises";
import { invalidSource } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";
import { isObject } from "../json-files.ts";
import { keepStart, readIntactLines } from "../json-lines.ts";
import type { SkippedPath, SkippedPaths } from "./plan.ts";

/** How many are kept in the plan itself. */
const MAX_FIRST = 20;

/**
 * Opens the log of what a plan leaves out, a file of JSON lines, so that it is known after the end of the process. What is behind
 * the last file of the manifest is removed, because it is found again.
 *
 * @param files - how many files the manifest has
 * @param onKnown - receives what the log has
 */
export async function openSkippedLog(path: string, files: number, onKnown: (skipped: SkippedPath) => void) {
  const summary: SkippedPaths = { count: 0, first: [] };
  let added = "";
  let size = 0;

  function summarize(skipped: SkippedPath): void {
    if (summary.count++ < MAX_FIRST) summary.first.push(skipped);
  }

  for await (const { value, end } of readIntactLines(path, checkEntry)) {
    if (value.files >= files) break;
    size = end;
    summarize(value.skipped);
    onKnown(value.skipped);
  }
  await withWriteErrors(path, () => keepStart(path, size));

  async function append(isDurable: boolean): Promise<void> {
    const text = added;
    added = "";
    await withWriteErrors(path, () => appendFile(path, text, { mode: 0o600, flush: isDurable }));
  }

  return {
    /** Keeps one that was found behind so many files. */
    add(skipped: SkippedPath, before: number): void {
      const printable = { path: toPrintable(skipped.path), code: toPrintable(skipped.code) };
      summarize(printable);
      added += `${JSON.stringify({ ...printable, files: before })}\n`;
    },
    /** Writes what was added. It has to be there before the next file is in the manifest. */
    async flush(): Promise<void> {
      if (added !== "") await append(false);
    },
    /** Writes all of it, durably. Returns a summary; `undefined` if nothing was left out. */
    async finish(): Promise<SkippedPaths | undefined> {
      if (summary.count === 0) return undefined;
      await append(true);
      return summary;
    },
  };
}

export async function* readSkippedLog(path: string): AsyncGenerator<SkippedPath> {
  for await (const { value } of readIntactLines(path, checkEntry)) yield value.skipped;
}

function checkEntry(value: unknown): { skipped: SkippedPath; files: number } {
  const { path, code, files } = isObject(value) ? value : {};
  if (typeof path === "string" && typeof code === "string" && typeof files === "number") {
    return { skipped: { path, code }, files };
  }
  throw invalidSource("a line is malformed");
}

/** The longest path that is kept, in characters. */
const MAX_PATH = 4_096;

/** What an adapter lists may be anything; no database keeps NULs, or lone surrogates. */
function toPrintable(value: unknown): string {
  return String(value)
    .slice(0, MAX_PATH)
    .replace(/[\0\uD800-\uDFFF]/gu, "\uFFFD");
}
