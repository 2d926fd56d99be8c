import { readFile, realpath, stat } from "node:fs/promises";
import { relative } from "node:path";
import type { LeftOver } from "./by-hand.ts";
import { mentionsPackages } from "./packages.ts";
import { findRedirect, type Redirect } from "./redirect.ts";
import { rewriteFile } from "./rewrite-file.ts";

/** The parser keeps many times as much in memory. */
const MAX_BYTES = 2 ** 26;

/** What is to be done with a file. */
export interface PlannedFile {
  /** Absolute, without links. */
  path: string;
  /** From the working folder, with `/`. */
  name: string;
  before: string;
  after: string;
  migrated: number;
  left: LeftOver[];
}

/** What is to be done with all files. */
export interface Plan {
  /** How many programs were looked at. */
  looked: number;
  /** Those that concern the command. */
  files: PlannedFile[];
}

/**
 * Reads programs and rewrites them, in memory only.
 *
 * @param names - paths of files
 */
export async function planMigration(names: AsyncIterable<string>, signal: AbortSignal): Promise<Plan> {
  const looked = new Set<string>();
  const found = new Map<string, string>();
  const unreadable: PlannedFile[] = [];
  for await (const name of names) {
    signal.throwIfAborted();
    const path = await realpath(name);
    if (looked.has(path)) continue;
    looked.add(path);
    if ((await stat(path)).size > MAX_BYTES) {
      unreadable.push(leave(path, "", { line: 1, column: 1 }, "it is too large for a program"));
      continue;
    }
    const bytes = await readFile(path);
    if (!mentionsPackages(bytes.toString("latin1"))) continue;
    const text = decode(bytes);
    if (text === undefined) unreadable.push(leave(path, "", { line: 1, column: 1 }, "it is not encoded as UTF-8"));
    else found.set(path, text);
  }
  const redirect = findFirst(found);
  const files = [...found].map(([path, text]) => {
    signal.throwIfAborted();
    return rewriteOrLeave(path, text, redirect);
  });
  return {
    looked: looked.size,
    files: [...unreadable, ...files].filter(({ before, after, left }) => before !== after || left.length > 0),
  };
}

function findFirst(found: ReadonlyMap<string, string>): Redirect | undefined {
  const redirects = [...found].flatMap(([path, text]) => {
    try {
      return findRedirect(text, toName(path)) ?? [];
    } catch {
      // What cannot be parsed is reported where it is rewritten.
      return [];
    }
  });
  return redirects.find(({ isFrozen }) => isFrozen) ?? redirects[0];
}

function rewriteOrLeave(path: string, before: string, redirect: Redirect | undefined): PlannedFile {
  try {
    const { text: after, migrated, left } = rewriteFile(before, path, redirect);
    return { path, name: toName(path), before, after, migrated, left };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { loc } = error as { loc?: { line: number; column: number } };
    return leave(
      path,
      before,
      { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 },
      `it cannot be parsed: ${error.message}`,
    );
  }
}

function leave(path: string, text: string, place: { line: number; column: number }, reason: string): PlannedFile {
  const left = [{ ...place, what: "file", reason }];
  return { path, name: toName(path), before: text, after: text, migrated: 0, left };
}

function toName(path: string): string {
  return relative(process.cwd(), path).replaceAll("\\", "/");
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
