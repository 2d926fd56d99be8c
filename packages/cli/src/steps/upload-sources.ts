import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { stdin } from "node:process";
import { Readable } from "node:stream";
import type { NamedFile, NamedStream, Source } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/format.ts";
import { createFilter, createWalkFilter } from "./filters.ts";
import { readIgnoreFile } from "./ignore-file.ts";
import { hasSecrets, refuseSecrets } from "./secret-folders.ts";

/**
 * Returns what is uploaded of the paths that were typed, under the name of `--name` if there is one: of folders what the filters
 * leave, without folders that have keys, and `-` is standard input.
 *
 * @throws `USAGE`, `SECRET_FILES`, `INVALID_FILE`, `NOTHING_LEFT`; what listing a folder throws
 */
export async function readSources(invocation: Invocation, paths: readonly string[]): Promise<Source> {
  if (paths.length > 1 && invocation.option("name") !== undefined) {
    throw new UsageError("--name is the name of one file, one folder, or standard input");
  }
  const sources: (string | NamedStream | NamedFile)[] = [];
  for (const path of paths)
    sources.push(...(path === "-" ? [readStdin(invocation)] : await readPath(invocation, path)));
  const [only] = sources;
  return sources.length === 1 && only !== undefined ? only : sources;
}

/** Whether a path is that of a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function readStdin({ option, flag }: Invocation): NamedStream {
  if (flag("privateKeyStdin")) throw new UsageError("Standard input cannot be both the private key and a file");
  return { name: option("name") ?? "stdin", stream: Readable.toWeb(stdin) as ReadableStream<Uint8Array> };
}

async function readPath(invocation: Invocation, path: string): Promise<(string | NamedFile)[]> {
  await refuseSecrets(invocation, path);
  const name = invocation.option("name");
  if (!(await isFolder(path))) return [name === undefined ? path : { name, path }];
  const { files, isWhole } = await readFolder(invocation, path);
  if (isWhole && name === undefined) return [path];
  if (files.length === 0) throw new UsageError(`No file of ${path} is left to upload`, "NOTHING_LEFT");
  const root = name ?? basename(resolve(path));
  return files.map((file) => ({ name: `${root}/${file.name}`, path: file.path }));
}

/** Lists the files of a folder that are uploaded, by their paths in it, and finds out whether they are all that is in it. */
async function readFolder(invocation: Invocation, folder: string): Promise<{ files: NamedFile[]; isWhole: boolean }> {
  const { output, signal } = invocation;
  const { listSourceFiles } = await import("keeplight/parts");
  const ignored = await readIgnoreFile(folder);
  const keep = await createFilter(invocation, ignored);
  const isEntered = await createWalkFilter(invocation, ignored);
  const toPath = (name: string) => name.slice(name.indexOf("/") + 1);
  let isWhole = keep === undefined;
  const listed = await listSourceFiles(resolve(folder), {
    ...{ name: undefined, signal },
    async enters(name, path) {
      if (isEntered?.(`${toPath(name)}/`) === false) return false;
      if (!(await hasSecrets(invocation, path))) return true;
      isWhole = false;
      output.warn(`${clean(toPath(name))} is left out: keys may be in it`);
      return false;
    },
    onUnreadable(name, error, isUnreadFolder) {
      // What is left out need not be readable.
      const isWanted = isUnreadFolder ? isEntered?.(`${toPath(name)}/`) : keep?.(toPath(name));
      if (isWanted !== false) throw error;
    },
  });
  const files = listed.map(({ name, facts }) => ({ name: toPath(name), path: facts?.path ?? "" }));
  return { files: keep ? files.filter(({ name }) => keep(name)) : files, isWhole };
}
