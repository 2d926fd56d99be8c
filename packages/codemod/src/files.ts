import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { glob } from "tinyglobby";

/** A mistake of the user, or what has to be done before the command can run. */
export class UsageError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(message: string, code = "USAGE", hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Kinds of files that are rewritten, by the end of their names. */
const EXTENSIONS = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

/** Lists the programs at paths: files themselves, and those below folders, in alphabetical order. Follows no links. */
export async function listPrograms(paths: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      if (path === "") throw new UsageError("The argument path is empty");
      const info = await stat(path).catch((error: Error) => {
        throw new UsageError(`Cannot read ${path}: ${error.message}`);
      });
      if (info.isDirectory()) {
        const found = await glob(`**/*.{${EXTENSIONS.join(",")}}`, {
          cwd: path,
          ignore: ["**/{node_modules,dist,build}/**"],
          followSymbolicLinks: false,
          caseSensitiveMatch: false,
          expandDirectories: false,
        });
        return found.sort().map((name) => join(path, name));
      }
      if (info.isFile() && EXTENSIONS.includes(extname(path).slice(1).toLowerCase())) return [path];
      throw new UsageError(`${path} is not a program: expected .${EXTENSIONS.join(", .")}`);
    }),
  );
  return lists.flat();
}

const execute = promisify(execFile);
const HINT = "--dry-run shows the changes; --force makes them nevertheless";

/**
 * Refuses to change files whose changes git could not undo: those of no work tree, of one with other changes, and those
 * that git ignores.
 *
 * @param files - absolute paths
 */
export async function requireCleanWorkTree(files: readonly string[]): Promise<void> {
  const tracked = new Set<string>();
  const roots = new Set<string>();
  for (const folder of new Set(files.map(dirname))) {
    const tree = await git(folder, "rev-parse", "--show-toplevel").catch(() => {
      const message = `${folder} is in no git work tree: the changes could not be undone`;
      throw new UsageError(message, "NO_WORK_TREE", HINT);
    });
    roots.add(await realpath(tree.trimEnd()));
  }
  for (const root of roots) {
    if ((await git(root, "status", "--porcelain")) !== "") {
      const message = `The git work tree ${root} has changes that are not committed`;
      throw new UsageError(message, "WORK_TREE_DIRTY", `Commit or stash them first. ${HINT}`);
    }
    for (const name of (await git(root, "ls-files", "-z")).split("\0")) if (name !== "") tracked.add(join(root, name));
  }
  const ignored = files.find((file) => !tracked.has(file));
  if (ignored !== undefined) {
    throw new UsageError(`git ignores ${ignored}: its changes could not be undone`, "NOT_TRACKED", HINT);
  }
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await execute("git", ["-C", folder, ...args], { maxBuffer: 2 ** 28 })).stdout;
}

/**
 * Replaces the text of a file at once, and keeps its mode.
 *
 * @param before - what the file is known to be; it is not replaced if it is something else meanwhile
 */
export async function replaceFile(path: string, before: string, after: string): Promise<void> {
  const { mode } = await stat(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.chmod(mode & 0o7777);
      await file.writeFile(after);
      await file.sync();
    } finally {
      await file.close();
    }
    if ((await readFile(path, "utf8")) !== before) {
      throw new UsageError(`${path} was changed meanwhile`, "FILE_CHANGED", "Run the command again.");
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
