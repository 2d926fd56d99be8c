import { type BigIntStats, constants, type Dirent } from "node:fs";
import { type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { platform } from "node:process";
import { fileURLToPath } from "node:url";
import { throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { invalidSource, sourceChanged, sourceUnreadable } from "../../base/errors/input.ts";
import type { SourceFile, WalkOptions } from "../types.ts";

/** Limits of the bytes per read. Each read wakes another thread, which takes longer than reading a few hundred KiB. */
const MIN_READ_BYTES = 256 * 1024;
const MAX_READ_BYTES = 2 * 1024 * 1024;

/** Into how many reads a file is split, within these limits: progress is reported after each. */
const READS_PER_FILE = 64;

/**
 * Names files from the base name of the path on. Follows symbolic links; refuses a link to one of its own parents, and
 * anything that is neither file nor folder. Opens only files of size 0, which files of `/proc` report, too.
 *
 * @throws `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `ABORTED`
 */
export async function filesAt(
  path: string | URL,
  signal: AbortSignal | undefined,
  { onUnreadable, enters }: WalkOptions = {},
): Promise<SourceFile[]> {
  const root = toPath(path, invalidSource);
  const rootName = basename(root);
  if (rootName === "") throw invalidSource("the root of the file system cannot be sent");
  const files: SourceFile[] = [];
  const parents = new Set<string>();

  async function visit(at: string, name: string): Promise<void> {
    throwIfAborted(signal);
    const found = await withReadErrors(name, stat(at, { bigint: true }));
    if (found.isFile()) {
      if (found.size === 0n) await refuseUnsized(at, name);
      files.push(toSourceFile(at, name, found, parents.size === 0 ? undefined : rootName));
      return;
    }
    if (!found.isDirectory()) throw invalidSource(`${name} is neither a file nor a folder`, { name });
    if (parents.size > 0 && (await enters?.(name, at)) === false) return;
    // Not every file system of Windows numbers its files.
    const identity = found.ino === 0n ? await withReadErrors(name, realpath(at)) : `${found.dev}:${found.ino}`;
    if (parents.has(identity)) throw invalidSource(`${name} links back to a folder it is in`, { name });
    const entries = await withReadErrors(name, readdir(at, { withFileTypes: true }));
    parents.add(identity);
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const entry of entries) await visitEntry(join(at, entry.name), `${name}/${entry.name}`, entry);
    parents.delete(identity);
  }

  async function visitEntry(at: string, name: string, entry: Dirent): Promise<void> {
    try {
      await visit(at, name);
    } catch (error) {
      if (!onUnreadable || !isKeeplightError(error) || error.code === "ABORTED") throw error;
      const found = await stat(at).catch(() => entry);
      onUnreadable(name, error, found.isDirectory());
    }
  }

  await visit(root, rootName);
  if (files.length === 0 && !enters) throw invalidSource(`the folder ${rootName} has no files`, { name: rootName });
  return files;
}

/** Resolves a path or `file:` URL to an absolute path; throws the error of `refuse` for anything else. */
export function toPath(path: string | URL, refuse: (problem: string) => KeeplightError): string {
  // Node resolves an empty path to the current folder, which is never intended.
  if (path === "") throw refuse("the path is empty");
  if (typeof path === "string") return resolve(path);
  if (path.protocol !== "file:") throw refuse("a URL must be a file: URL; download other files first");
  try {
    return fileURLToPath(path);
  } catch {
    throw refuse("the file: URL is not one of this machine");
  }
}

/** Throws `SOURCE_UNREADABLE` if `work` fails. */
export function withReadErrors<T>(name: string, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw sourceUnreadable(name, error);
  });
}

function toSourceFile(path: string, name: string, listed: BigIntStats, folder: string | undefined): SourceFile {
  const size = Number(listed.size);
  const { mtimeNs, ctimeNs, ino, dev } = listed;
  const facts = { mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}`, ino: `${ino}`, dev: `${dev}` };
  return {
    name,
    size,
    ...(folder === undefined ? {} : { folder }),
    rereadable: true,
    disposable: true,
    facts: { path, size, ...facts },
    open: (signal, reuse) => read(path, name, listed, signal, reuse),
  };
}

/** A file of `/proc` reports 0 bytes but has more: its size is unknown. */
async function refuseUnsized(path: string, name: string): Promise<void> {
  const handle = await withReadErrors(name, openUnblocked(path));
  try {
    const { length } = await withReadErrors(name, readChunk(handle, Buffer.alloc(1)));
    if (length > 0) throw invalidSource(`${name} does not report its size; send its bytes or a stream`, { name });
  } finally {
    await handle.close();
  }
}

/** Opens a file for reading without waiting: a FIFO or terminal in its place would block a thread forever. */
export function openUnblocked(path: string, flags = 0): Promise<FileHandle> {
  // Windows has neither of these flags.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
}

/** Yields a file's bytes and reads one chunk ahead. Throws `SOURCE_CHANGED` unless the file is as it was listed. */
async function* read(path: string, name: string, listed: BigIntStats, signal: AbortSignal, reuse = false) {
  const size = Number(listed.size);
  const handle = await withReadErrors(name, openUnblocked(path));
  let ahead: Promise<Uint8Array> | undefined;

  async function checkUnchanged(): Promise<void> {
    const now = await withReadErrors(name, handle.stat({ bigint: true }));
    if (!isSame(now, listed)) throw sourceChanged(name, size, Number(now.size));
  }

  try {
    await checkUnchanged();
    // Reads one more byte than listed, to detect a file that grew.
    let left = size + 1;
    const readBytes = Math.max(MIN_READ_BYTES, Math.min(MAX_READ_BYTES, Math.ceil(size / READS_PER_FILE)));
    const allocate = () => Buffer.allocUnsafeSlow(Math.min(left, readBytes));
    // One is read while the other is used. New memory for every chunk would keep the garbage collector busy.
    const shared = reuse ? [allocate(), allocate()] : undefined;
    const readAhead = () => readChunk(handle, shared ? (shared.reverse()[0] as Buffer) : allocate());
    ahead = readAhead();
    for (;;) {
      const chunk = await withReadErrors(name, ahead);
      throwIfAborted(signal);
      left -= chunk.length;
      if (left < 1) throw sourceChanged(name, size, size + 1);
      if (chunk.length === 0) {
        if (left > 1) throw sourceChanged(name, size, size + 1 - left);
        break;
      }
      ahead = readAhead();
      yield chunk;
    }
    await checkUnchanged();
  } finally {
    await ahead?.catch(() => undefined);
    await handle.close();
  }
}

/** Whether this is the listed file, unmodified, even if its modification time was set back. */
function isSame(now: BigIntStats, listed: BigIntStats): boolean {
  const hasSameFacts = (["ino", "size", "mtimeNs", "ctimeNs"] as const).every((fact) => now[fact] === listed[fact]);
  // Windows numbers a volume one way for a path and another way for an open file.
  return now.isFile() && hasSameFacts && (platform === "win32" || now.dev === listed.dev);
}

async function readChunk(handle: FileHandle, buffer: Buffer): Promise<Uint8Array> {
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
  return buffer.subarray(0, bytesRead);
}
