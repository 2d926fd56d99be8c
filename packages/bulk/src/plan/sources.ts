import type { BigIntStats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isKeeplightError } from "keeplight";
import { invalidSource, sourceUnreadable } from "keeplight/parts";
import { hasOwnKey, hasOwnState } from "keeplight/parts/node";
import { readManifest } from "./manifest.ts";
import type { BulkDisk, BulkFile, BulkListing, SkippedPath } from "./plan.ts";

const STATS_AT_ONCE = 64;

/**
 * Creates the source of a folder: all files below it, sorted by name within each folder. Symbolic links are followed. Folders
 * with a plan, a journal, the state of backups or logins are left out, like what cannot be read: keys may be in them. Memory
 * grows with the largest folder, not with the number of files.
 *
 * @example
 * const plan = await planBulk(folderSource("/data/photos"), { folder: "/data/photos.plan" });
 */
export function folderSource(path: string): BulkDisk {
  if (!isPath(path)) throw invalidSource("expected the path of a folder");
  const root = resolve(path);
  return {
    place: root,
    root,
    list: (after, onSkipped) => walk(root, { prefix: "", after: after?.split("/") ?? [], parents: [], onSkipped }),
  };
}

/** How far a walk is. */
interface Position {
  /** Path of the folder, with a `/` at its end. */
  prefix: string;
  /** Parts of the path that is known already. */
  after: readonly string[];
  /** Identities of the folders that it is in. */
  parents: readonly string[];
  onSkipped: ((skipped: SkippedPath) => void) | undefined;
}

/** Yields the files below a folder that are behind the path `after`. */
async function* walk(folder: string, position: Position): AsyncGenerator<BulkFile> {
  const { prefix, after, onSkipped } = position;
  const [first = "", ...below] = after;

  /** Reports what cannot be read, or ends the walk; the folder itself must be readable. */
  function skip(path: string, error: unknown): void {
    if (!isKeeplightError(error) || !onSkipped || path === "") throw error;
    onSkipped({ path, code: error.code });
  }

  const own = prefix.slice(0, -1);
  const found = await readdir(folder).catch((error) => skip(own, sourceUnreadable(prefix || folder, error)));
  if (found && (await hasOwnState(folder, found))) {
    const problem = `${own || folder} has a plan, a journal, the state of backups or logins, which must not be sent`;
    return skip(own, invalidSource(problem, { name: own || folder }));
  }
  // A link back to the root itself is one, too.
  const parents = position.parents.length > 0 ? position.parents : [toIdentity(await readFacts(folder, folder))];
  const names = (found ?? []).sort().filter((name) => name > first || (name === first && below.length > 0));
  const look = (name: string) => readFacts(join(folder, name), prefix + name).catch((error: unknown) => ({ error }));
  for await (const { name, found: entry, isTwin } of lookAtNames(names, look)) {
    const path = prefix + name;
    if (isTwin) {
      skip(path, sourceUnreadable(path, new Error("Two names, of which one is not UTF-8, are the same string")));
    } else if ("error" in entry) {
      skip(path, entry.error);
    } else if (entry.isFile()) {
      yield { path, size: Number(entry.size), mtime: Number(entry.mtimeNs / 1_000_000n) };
    } else if (entry.isDirectory()) {
      const identity = toIdentity(entry);
      if (parents.includes(identity)) {
        skip(path, invalidSource(`${path} links back to a folder it is in`, { name: path }));
        continue;
      }
      const inside = { prefix: `${path}/`, after: name === first ? below : [], parents: [...parents, identity] };
      yield* walk(join(folder, name), { ...inside, onSkipped });
    } else {
      skip(path, invalidSource(`${path} is neither a file nor a folder`, { name: path }));
    }
  }
}

/**
 * Looks at each of the sorted names of a folder, 64 at once, and yields what is found. Two names of other bytes can be one string,
 * which is yielded once, as a twin: which of them is meant is unknown.
 */
async function* lookAtNames<Found>(
  names: readonly string[],
  look: (name: string) => Promise<Found>,
): AsyncGenerator<{ name: string; found: Found; isTwin: boolean }> {
  for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
    const chunk = names.slice(at, at + STATS_AT_ONCE);
    const all = await Promise.all(chunk.map(async (name) => ({ name, found: await look(name) })));
    for (const [index, each] of all.entries()) {
      const isTwin = names[at + index + 1] === each.name;
      if (names[at + index - 1] !== each.name) yield { ...each, isTwin };
    }
  }
}

function toIdentity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

async function readFacts(path: string, name: string): Promise<BigIntStats> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    throw sourceUnreadable(name, error);
  }
}

/**
 * Creates the source of a manifest: JSON lines, each a {@link BulkFile} whose path is below the folder `root`. The order is
 * that of the lines. A file with a key of a journal, of backups or of a login is left out, like what cannot be read.
 */
export function manifestSource(manifest: string, root: string): BulkDisk {
  if (!isPath(manifest) || !isPath(root)) throw invalidSource("expected the paths of a manifest and of a folder");
  const file = resolve(manifest);
  const folder = resolve(root);

  async function* list(...[after, onSkipped]: Parameters<BulkListing["list"]>): AsyncGenerator<BulkFile> {
    let isBehind = after === undefined;
    for await (const entry of readManifest(file)) {
      const { path } = entry;
      if (!isBehind) {
        isBehind = path === after;
      } else if (await hasOwnKey(join(folder, path))) {
        const problem = `${path} has a key of a journal, of backups or of a login, which must not be sent`;
        const error = invalidSource(problem, { name: path });
        if (!onSkipped) throw error;
        onSkipped({ path, code: error.code });
      } else {
        yield entry;
      }
    }
    if (!isBehind) throw invalidSource(`the manifest has no line of ${after} any more`, { name: file });
  }

  return { place: `${file} ${folder}`, root: folder, list };
}

const isPath = (value: unknown) => typeof value === "string" && value !== "";
