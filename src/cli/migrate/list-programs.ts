import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { UsageError } from "../frame/usage-error.ts";

/** Kinds of files that are rewritten, by the end of their names. */
const EXTENSIONS: readonly string[] = [".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"];

/** Folders of what is installed or built. */
const SKIPPED = new Set(["node_modules", "dist", "build"]);

/** Yields the programs at paths: files themselves, and those below folders, in alphabetical order. Follows no links. */
export async function* listPrograms(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield* listAt(path);
}

async function* listAt(path: string): AsyncGenerator<string> {
  const info = await stat(path).catch((error: unknown) => {
    throw new UsageError(`Cannot read ${path}: ${error instanceof Error ? error.message : error}`);
  });
  if (info.isDirectory()) {
    yield* walk(path);
    return;
  }
  if (!info.isFile() || !isProgram(path))
    throw new UsageError(`${path} is not a program: expected ${EXTENSIONS.join(", ")}`);
  yield path;
}

async function* walk(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile() && isProgram(entry.name)) yield path;
    if (entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith(".")) yield* walk(path);
  }
}

function isProgram(path: string): boolean {
  return EXTENSIONS.includes(extname(path).toLowerCase());
}
