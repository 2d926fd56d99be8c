import { filesAt } from "#platform";
import { invalidSource } from "../../base/errors/input.ts";
import { sourceChanged } from "../../base/errors/source.ts";
import type { FileFacts, SourceFile } from "../../platform/types.ts";
import { toEncryptedName, toFolderPath } from "../upload/file-names.ts";
import { type FileState, getLastModified } from "../upload/journal-entry.ts";
import { listSourceFiles, type Source } from "../upload/source.ts";

/**
 * Lists the sources of files that have to be sent again: those of `source`, or else the files on the disk that they were
 * read from.
 *
 * @throws `INVALID_SOURCE` if a source has to be passed, or has not all of the files; `SOURCE_CHANGED`,
 * `SOURCE_UNREADABLE`
 */
export async function listSourcesAgain(
  files: readonly FileState[],
  source: Source | undefined,
  signal: AbortSignal | undefined,
): Promise<SourceFile[]> {
  if (source !== undefined) return matchSource(files, source, signal);
  const found: SourceFile[] = [];
  for (const file of files) found.push(await readAgain(file, signal));
  return found;
}

async function matchSource(files: readonly FileState[], source: Source, signal: AbortSignal | undefined) {
  const isFolder = files.some(({ path }) => path !== undefined);
  const isSingle = !isFolder && files.length === 1 && !Array.isArray(source) && typeof source !== "string";
  const listed = await listSourceFiles(source, { name: isSingle ? files[0]?.name : undefined, signal });
  const byName = new Map(listed.map((file) => [isFolder ? toFolderPath(file) : toEncryptedName(file), file]));
  return files.map(({ name: storedName, path, size, lastModified }) => {
    const name = path ?? storedName;
    const file = byName.get(name);
    if (!file) throw invalidSource(`${name} is not in it`, { name });
    const isKept = isSameIfKnown(size, file.size) && isSameIfKnown(lastModified, getLastModified(file));
    if (!isKept) throw sourceChanged(name, size ?? 0, file.size ?? 0);
    const { folder: _, ...again } = file;
    return isFolder ? { ...again, name: storedName } : file;
  });
}

function isSameIfKnown(then: number | undefined, now: number | undefined): boolean {
  return then === undefined || now === undefined || then === now;
}

async function readAgain({ name, facts }: FileState, signal: AbortSignal | undefined): Promise<SourceFile> {
  if (!facts) throw invalidSource(`${name} was not read from a disk; pass it again as the option source`, { name });
  const [file] = await filesAt(facts.path, signal);
  if (!file?.facts || !isSame(file.facts, facts)) throw sourceChanged(name, facts.size, file?.size ?? 0);
  const { folder: _, ...again } = file;
  return { ...again, name };
}

/** Whether a file is as it was, even if its modification time was set back. */
function isSame(now: FileFacts, then: FileFacts): boolean {
  return (Object.keys(then) as (keyof FileFacts)[]).every((fact) => now[fact] === then[fact]);
}
