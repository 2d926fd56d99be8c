import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { mapInOrder } from "keeplight/parts";
import { replaceFile, withWriteErrors } from "keeplight/parts/node";
import type { RepositoryKeys } from "./keys.ts";
import { decodeDirectory, encodeDirectory, type PackDirectory, readDirectory } from "./pack-format.ts";
import { openStored } from "./remote.ts";

const READ_AT_ONCE = 16;

/** Options of a request, and what may spare it. */
export interface DirectoryOptions {
  keys: RepositoryKeys;
  /** Of requests. */
  call: { signal?: AbortSignal | undefined };
  /** Folder of the state; without it, every directory is read from its pack. */
  state: string | undefined;
  /** Whether a pack has no directory, instead of an error, if reading it ends in this error. @default none does */
  skips?: (error: unknown) => boolean;
}

/**
 * Yields the directories of packs: what a pack has never changes, so a state keeps them. One that is no pack of this repository
 * has none.
 *
 * @throws what `openFile` throws, `CANNOT_WRITE`
 */
export async function* readDirectories(packs: Iterable<string>, options: DirectoryOptions) {
  const { keys, call, state, skips } = options;
  const folder = state && toFolder(state);
  if (folder !== undefined) await withWriteErrors(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  yield* mapInOrder(packs, { limit: READ_AT_ONCE, signal: call.signal }, async (cid, signal) => {
    const kept = folder === undefined ? undefined : await readFile(join(folder, cid)).catch(() => undefined);
    const known = kept && decodeDirectory(kept);
    if (known) return { cid, directory: known };
    const directory = await readStoredDirectory(cid, { ...call, signal }, keys).catch((error: unknown) => {
      if (!skips?.(error)) throw error;
      return undefined;
    });
    if (directory && state !== undefined) await keepDirectory(state, cid, directory);
    return { cid, directory };
  });
}

async function readStoredDirectory(cid: string, call: object, keys: RepositoryKeys) {
  const file = await openStored(cid, call);
  return readDirectory(file.size, file.read, keys);
}

/** Keeps the directory of a pack in a state. */
export async function keepDirectory(state: string, cid: string, directory: PackDirectory): Promise<void> {
  const path = join(toFolder(state), cid);
  await withWriteErrors(path, async () => {
    await mkdir(toFolder(state), { recursive: true, mode: 0o700 });
    await replaceFile(path, encodeDirectory(directory), { durable: true });
  });
}

/** Forgets the directories of all packs but some. */
export async function forgetDirectories(state: string, kept: ReadonlySet<string>): Promise<void> {
  const folder = toFolder(state);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!kept.has(name)) await rm(join(folder, name), { force: true });
  }
}

const toFolder = (state: string) => join(state, "packs");
