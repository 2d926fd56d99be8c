import type { BigIntStats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { absolutePath } from "#platform";
import { invalidSource } from "../../errors/input.ts";
import { sourceUnreadable } from "../../errors/source.ts";
import type { BulkDisk, BulkFile } from "./types.ts";

/** Files whose facts are read concurrently. */
const STATS_AT_ONCE = 64;

/**
 * Creates the source of a folder: all files below it, sorted by name within each folder. Symbolic links are followed.
 * Memory grows with the largest folder, not with the number of files.
 *
 * @example
 * const plan = await planBulk(folderSource("/data/photos"), { folder: "/data/photos.plan" });
 */
export function folderSource(path: string): BulkDisk {
  if (typeof path !== "string" || path === "") throw invalidSource("expected the path of a folder");
  const root = absolutePath(path);
  return {
    place: root,
    root,
    list: (after) => walk(root, "", after?.split("/") ?? [], []),
  };
}

/** Yields the files below a folder that are behind the path `after`, by its parts. */
async function* walk(
  folder: string,
  prefix: string,
  after: readonly string[],
  parents: readonly string[],
): AsyncGenerator<BulkFile> {
  const [first = "", ...below] = after;
  const found = await readFolder(folder, prefix);
  const names = found.sort().filter((name) => name > first || (name === first && below.length > 0));
  for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
    const chunk = names.slice(at, at + STATS_AT_ONCE);
    const facts = await Promise.all(chunk.map((name) => readFacts(join(folder, name), prefix + name)));
    for (const [index, name] of chunk.entries()) {
      const path = prefix + name;
      const entry = facts[index] as BigIntStats;
      if (entry.isFile()) {
        yield { path, size: Number(entry.size), mtime: Number(entry.mtimeNs / 1_000_000n) };
      } else if (entry.isDirectory()) {
        const identity = `${entry.dev}:${entry.ino}`;
        if (parents.includes(identity)) throw invalidSource(`${path} links back to a folder it is in`, { name: path });
        yield* walk(join(folder, name), `${path}/`, name === first ? below : [], [...parents, identity]);
      } else {
        throw invalidSource(`${path} is neither a file nor a folder`, { name: path });
      }
    }
  }
}

async function readFolder(folder: string, name: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw sourceUnreadable(name === "" ? folder : name, error);
  }
}

async function readFacts(path: string, name: string): Promise<BigIntStats> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    throw sourceUnreadable(name, error);
  }
}
