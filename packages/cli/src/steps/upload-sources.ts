import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { stdin } from "node:process";
import { Readable } from "node:stream";
import type { NamedFile, NamedStream, Source } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { createFilter } from "./filters.ts";
import { readIgnoreFile } from "./ignore-file.ts";

/** Returns what is uploaded of the paths that were typed: of folders what the filters leave, and `-` is standard input. */
export async function readSources(invocation: Invocation, paths: readonly string[]): Promise<Source> {
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
  if (!(await isFolder(path))) return [path];
  const keep = await createFilter(invocation, await readIgnoreFile(path));
  if (!keep) return [path];
  const { listSourceFiles } = await import("keeplight/parts");
  const unreadable: { path: string; error: unknown }[] = [];
  const toPath = (name: string) => name.slice(name.indexOf("/") + 1);
  const listed = await listSourceFiles(resolve(path), {
    name: undefined,
    signal: invocation.signal,
    onUnreadable: (name, error) => void unreadable.push({ path: toPath(name), error }),
  });
  // What is left out need not be readable.
  const problem = unreadable.find((each) => keep(each.path));
  if (problem) throw problem.error;
  const chosen = listed.filter(({ name }) => keep(toPath(name)));
  if (chosen.length === 0) throw new UsageError(`No file of ${path} is left by the filters`, "NOTHING_LEFT");
  return chosen.map(({ name, facts }) => ({ name, path: facts?.path ?? "" }));
}
