import { readFile, realpath, stat } from "node:fs/promises";
import { relative } from "node:path";
import { createTwoFilesPatch } from "diff";
import { mentionsPackages } from "./packages.ts";
import { findRedirect, type Redirect, type RewrittenFile, rewriteFile } from "./rewrite-file.ts";

/** The parser keeps many times as much in memory. */
const MAX_BYTES = 2 ** 26;

export interface PlannedFile extends RewrittenFile {
  /** Absolute, without links. */
  path: string;
  /** From the working folder, with `/`. */
  name: string;
  /** Its present text. */
  before: string;
}

/**
 * Reads programs and rewrites them, in memory only.
 *
 * @param names - paths of files
 * @returns how many programs were looked at, and those that concern the command
 */
export async function planMigration(names: readonly string[], signal: AbortSignal) {
  const paths = new Set<string>();
  for (const name of names) paths.add(await realpath(name));
  const found = new Map<string, string>();
  const unreadable: PlannedFile[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    if ((await stat(path)).size > MAX_BYTES) {
      unreadable.push(leave(path, "", "it is too large for a program"));
      continue;
    }
    const bytes = await readFile(path);
    if (!mentionsPackages(bytes.toString("latin1"))) continue;
    try {
      found.set(path, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch {
      unreadable.push(leave(path, "", "it is not encoded as UTF-8"));
    }
  }
  const redirects = [...found].flatMap(([path, text]) => {
    try {
      return findRedirect(text, toName(path)) ?? [];
    } catch {
      // What cannot be parsed is reported where it is rewritten.
      return [];
    }
  });
  const redirect = redirects.find(({ isFrozen }) => isFrozen) ?? redirects[0];
  const files = [...found].map(([path, text]) => {
    signal.throwIfAborted();
    return rewriteOrLeave(path, text, redirect);
  });
  const isConcerned = ({ before, text, left }: PlannedFile) => before !== text || left.length > 0;
  return { looked: paths.size, files: [...unreadable, ...files].filter(isConcerned) };
}

function rewriteOrLeave(path: string, before: string, redirect: Redirect | undefined): PlannedFile {
  try {
    return { path, name: toName(path), before, ...rewriteFile(before, path, redirect) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { loc } = error as { loc?: { line: number; column: number } };
    return leave(path, before, `it cannot be parsed: ${error.message}`, loc);
  }
}

function leave(path: string, text: string, reason: string, at = { line: 1, column: 0 }): PlannedFile {
  const left = [{ line: at.line, column: at.column + 1, what: "file", reason }];
  return { path, name: toName(path), before: text, text, migrated: 0, left };
}

function toName(path: string): string {
  return relative(process.cwd(), path).replaceAll("\\", "/");
}

/** Formats the difference of two texts as a patch that git applies; empty if there is none. */
export function formatDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, { context: 3 });
  return patch.replace(/^=+\n/, "").replace(/\n$/, "");
}
