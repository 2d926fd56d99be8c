import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { platform } from "node:process";
import { fileURLToPath } from "node:url";
import { CHUNK_BYTES } from "../../config/limits.ts";
import type { KeeplightError } from "../../errors/base.ts";
import { invalidSource } from "../../errors/input.ts";
import { sourceChanged, sourceUnreadable } from "../../errors/source.ts";
import { aborted } from "../../errors/transport.ts";
import type { SourceFile } from "../types.ts";

/**
 * The file at a path, named by its base name, or all files of the folder there, named from the folder's
 * own name on with `/` between, sorted. Symbolic links are followed; a link back into one of its own
 * parents, and anything that is neither file nor folder, is refused. Only files that claim to be empty are
 * opened yet: those of `/proc` claim it, too.
 *
 * @throws `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `ABORTED`
 */
export async function filesAt(path: string | URL, signal: AbortSignal | undefined): Promise<SourceFile[]> {
  const root = toPath(path, invalidSource);
  const rootName = basename(root);
  if (rootName === "") throw invalidSource("the root of the file system cannot be sent");
  const files: SourceFile[] = [];
  const parents = new Set<string>();

  async function visit(at: string, name: string): Promise<void> {
    if (signal?.aborted) throw aborted(signal.reason);
    const found = await readable(name, () => stat(at, { bigint: true }));
    if (found.isFile()) {
      if (found.size === 0n) await refuseUnsized(at, name);
      files.push(fileAt(at, name, found, parents.size === 0 ? undefined : rootName));
      return;
    }
    if (!found.isDirectory()) throw invalidSource(`${name} is neither a file nor a folder`, { name });
    // Not every file system of Windows numbers its files.
    const identity = found.ino === 0n ? await readable(name, () => realpath(at)) : `${found.dev}:${found.ino}`;
    if (parents.has(identity)) throw invalidSource(`${name} links back to a folder it is in`, { name });
    parents.add(identity);
    const entries = await readable(name, () => readdir(at));
    for (const entry of entries.sort()) await visit(join(at, entry), `${name}/${entry}`);
    parents.delete(identity);
  }

  await visit(root, rootName);
  if (files.length === 0) throw invalidSource(`the folder ${rootName} has no files`, { name: rootName });
  return files;
}

/** The absolute path of a path or `file:` URL; throws what `refuse` makes of one that is neither. */
export function toPath(path: string | URL, refuse: (problem: string) => KeeplightError): string {
  // Node takes an empty path for the current folder, which nobody means.
  if (path === "") throw refuse("the path is empty");
  if (typeof path === "string") return resolve(path);
  if (path.protocol !== "file:") throw refuse("a URL must be a file: URL; download other files first");
  try {
    return fileURLToPath(path);
  } catch {
    throw refuse("the file: URL is not one of this machine");
  }
}

async function readable<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sourceUnreadable(name, error);
  }
}

function fileAt(path: string, name: string, listed: BigIntStats, folder: string | undefined): SourceFile {
  const size = Number(listed.size);
  return {
    name,
    size,
    ...(folder === undefined ? {} : { folder }),
    open: (signal) => read(path, name, listed, signal),
  };
}

/** A file of `/proc` says that it has 0 bytes and has more: nothing tells how much to send. */
async function refuseUnsized(path: string, name: string): Promise<void> {
  const handle = await readable(name, () => openToRead(path));
  try {
    const { length } = await readable(name, () => readChunk(handle, 1));
    if (length > 0) throw invalidSource(`${name} does not tell its size; send its bytes or a stream`, { name });
  } finally {
    await handle.close();
  }
}

/** Opens without waiting: a FIFO or terminal that took the file's place would hold a thread for good. */
function openToRead(path: string): Promise<FileHandle> {
  // Windows has neither of these flags.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

/** A file's bytes, the next chunk being read while the last one is used. They are those of the file as listed, or fail. */
async function* read(path: string, name: string, listed: BigIntStats, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const size = Number(listed.size);
  const handle = await readable(name, () => openToRead(path));
  let ahead: Promise<Uint8Array> | undefined;

  async function checkUnchanged(): Promise<void> {
    const now = await readable(name, () => handle.stat({ bigint: true }));
    if (!isSame(now, listed)) throw sourceChanged(name, size, Number(now.size));
  }

  try {
    await checkUnchanged();
    // One more byte than was listed is asked for, so that a file that grew is noticed.
    let left = size + 1;
    ahead = readChunk(handle, left);
    for (;;) {
      const chunk = await readable(name, () => ahead as Promise<Uint8Array>);
      if (signal.aborted) throw aborted(signal.reason);
      left -= chunk.length;
      if (left < 1) throw sourceChanged(name, size, size + 1);
      if (chunk.length === 0) {
        if (left > 1) throw sourceChanged(name, size, size + 1 - left);
        break;
      }
      ahead = readChunk(handle, left);
      yield chunk;
    }
    await checkUnchanged();
  } finally {
    await ahead?.catch(() => undefined);
    await handle.close();
  }
}

/** Whether this is the file that was listed and nothing wrote to it, not even by setting its times back. */
function isSame(now: BigIntStats, listed: BigIntStats): boolean {
  return (
    now.isFile() &&
    // Windows numbers a volume one way for a path and another way for an open file.
    (platform === "win32" || now.dev === listed.dev) &&
    now.ino === listed.ino &&
    now.size === listed.size &&
    now.mtimeNs === listed.mtimeNs &&
    now.ctimeNs === listed.ctimeNs
  );
}

async function readChunk(handle: FileHandle, left: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(left, CHUNK_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
  return buffer.subarray(0, bytesRead);
}
