import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../frame/usage-error.ts";

const execute = promisify(execFile);
const HINT = "--dry-run shows the changes; --force makes them nevertheless";

/**
 * Refuses to change files whose changes git could not undo: those of no work tree, of one with other changes, and those
 * that git ignores.
 *
 * @param files - absolute paths
 */
export async function requireCleanWorkTree(files: readonly string[], signal: AbortSignal): Promise<void> {
  const tracked = new Set<string>();
  const seen = new Set<string>();
  for (const folder of new Set(files.map(dirname))) {
    const tree = await git(folder, ["rev-parse", "--show-toplevel"], signal);
    if (tree === undefined) {
      throw new UsageError(`${folder} is in no git work tree: the changes could not be undone`, {
        code: "NO_WORK_TREE",
        hint: HINT,
      });
    }
    const root = await realpath(tree.trimEnd());
    if (seen.has(root)) continue;
    seen.add(root);
    if ((await git(root, ["status", "--porcelain"], signal)) !== "") {
      throw new UsageError(`The git work tree ${root} has changes that are not committed`, {
        code: "WORK_TREE_DIRTY",
        hint: `Commit or stash them first. ${HINT}`,
      });
    }
    const names = (await git(root, ["ls-files", "-z"], signal)) ?? "";
    for (const name of names.split("\0")) if (name !== "") tracked.add(join(root, name));
  }
  const ignored = files.find((file) => !tracked.has(file));
  if (ignored !== undefined) {
    throw new UsageError(`git ignores ${ignored}: its changes could not be undone`, {
      code: "NOT_TRACKED",
      hint: HINT,
    });
  }
}

/** Runs git in a folder; undefined if it fails. */
async function git(folder: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  try {
    const { stdout } = await execute("git", ["-C", folder, ...args], { maxBuffer: 2 ** 28, signal });
    return stdout;
  } catch (error) {
    signal.throwIfAborted();
    // A status that cannot be read is not a clean one.
    if (args[0] === "status") throw error;
    return undefined;
  }
}
