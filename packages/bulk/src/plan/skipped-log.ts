import { stat, truncate } from "node:fs/promises";
import { withWriteErrors } from "keeplight/parts/node";
import { isObject, openLines } from "../json-files.ts";
import { readTextLines } from "./manifest.ts";
import type { SkippedPath, SkippedPaths } from "./plan.ts";

/** How many are kept in the plan itself. */
const MAX_FIRST = 20;

/**
 * Opens the log of what a plan leaves out, a file of JSON lines, so that it is known after the end of the process. What is behind
 * the last file of the manifest is removed, because it is found again.
 *
 * @param files - how many files the manifest has
 * @param onKnown - receives what the log has
 * @throws `CANNOT_WRITE`, `SOURCE_UNREADABLE`
 */
export async function openSkippedLog(path: string, files: number, onKnown: (skipped: SkippedPath) => void) {
  const summary: SkippedPaths = { count: 0, first: [] };
  let lines: object[] = [];
  let size = 0;

  function summarize(skipped: SkippedPath): void {
    if (summary.count++ < MAX_FIRST) summary.first.push(skipped);
  }

  async function append(isDurable: boolean): Promise<void> {
    const added = lines;
    lines = [];
    const file = await openLines(path, "a");
    try {
      for (const line of added) await file.add(line);
      await (isDurable ? file.finish() : file.flush());
    } finally {
      await file.close();
    }
  }

  for await (const { skipped, files: before, bytes } of readLog(path)) {
    if (before >= files) break;
    size += bytes;
    summarize(skipped);
    onKnown(skipped);
  }
  if (await findSize(path)) await withWriteErrors(path, () => truncate(path, size));

  return {
    /** Keeps one that was found behind so many files. */
    add(skipped: SkippedPath, before: number): void {
      const printable = { path: toPrintable(skipped.path), code: toPrintable(skipped.code) };
      summarize(printable);
      lines.push({ ...printable, files: before });
    },
    /** Writes what was added. It has to be there before the next file is in the manifest. */
    async flush(): Promise<void> {
      if (lines.length > 0) await append(false);
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
  for await (const { skipped } of readLog(path)) yield skipped;
}

/** Yields the lines of a log that are whole, with their sizes in bytes. After a power cut its end may be anything. */
async function* readLog(path: string): AsyncGenerator<{ skipped: SkippedPath; files: number; bytes: number }> {
  let left = await findSize(path);
  if (left === 0) return;
  for await (const line of readTextLines(path)) {
    const bytes = utf8.encode(line).length + 1;
    left -= bytes;
    const entry = left < 0 ? undefined : parse(line);
    if (!entry) return;
    yield { ...entry, bytes };
  }
}

const utf8 = new TextEncoder();

/** Returns the size of a file in bytes; 0 if there is none. */
async function findSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

function parse(line: string): { skipped: SkippedPath; files: number } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return undefined;
    const { path, code, files } = value;
    if (typeof path !== "string" || typeof code !== "string" || typeof files !== "number") return undefined;
    return { skipped: { path, code }, files };
  } catch {
    return undefined;
  }
}

/** The longest path that is kept, in characters. */
const MAX_PATH = 4_096;

/** What an adapter lists may be anything; no database keeps NULs, or lone surrogates. */
function toPrintable(value: unknown): string {
  return String(value)
    .slice(0, MAX_PATH)
    .replace(/[\0\uD800-\uDFFF]/gu, "\uFFFD");
}
