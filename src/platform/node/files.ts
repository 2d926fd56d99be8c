import { type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CHUNK_BYTES } from "../../config/limits.ts";
import type { KeeplightError } from "../../errors/base.ts";
import { invalidSource } from "../../errors/input.ts";
import { sourceChanged, sourceUnreadable } from "../../errors/source.ts";
import { aborted } from "../../errors/transport.ts";
import type { SourceFile } from "../contract.ts";

/**
 * The file at a path, named by its base name, or all files of the folder there, named from the folder's
 * own name on with `/` between, sorted. Symbolic links are followed; a link back into one of its own
 * parents, and anything that is neither file nor folder, is refused. No file is opened yet.
 *
 * @throws `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `ABORTED`
 */
export async function filesAt(path: string | URL, signal: AbortSignal | undefined): Promise<SourceFile[]> {
  const root = toPath(path, invalidSource);
  const rootName = basename(root);
  if (rootName === "") throw invalidSource("the root of the file system cannot be sent");
  const files: SourceFile[] = [];

  async function visit(at: string, name: string, parents: readonly string[]): Promise<void> {
    if (signal?.aborted) throw aborted(signal.reason);
    const found = await readable(name, () => stat(at));
    if (found.isFile()) {
      files.push(fileAt(at, name, found.size, parents.length === 0 ? undefined : rootName));
      return;
    }
    if (!found.isDirectory()) throw invalidSource(`${name} is neither a file nor a folder`, { name });
    const real = await readable(name, () => realpath(at));
    if (parents.includes(real)) throw invalidSource(`${name} links back to a folder it is in`, { name });
    const entries = await readable(name, () => readdir(at));
    for (const entry of entries.sort()) await visit(join(at, entry), `${name}/${entry}`, [...parents, real]);
  }

  await visit(root, rootName, []);
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

function fileAt(path: string, name: string, size: number, folder: string | undefined): SourceFile {
  return { name, size, ...(folder === undefined ? {} : { folder }), open: (signal) => read(path, name, size, signal) };
}

/** A file's bytes, the next piece being read while the last one is used. */
async function* read(path: string, name: string, size: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await readable(name, () => open(path, "r"));
  let ahead: Promise<Uint8Array> | undefined;
  try {
    let left = size;
    ahead = readPiece(handle, left);
    while (left > 0) {
      const piece = await readable(name, () => ahead as Promise<Uint8Array>);
      if (signal.aborted) throw aborted(signal.reason);
      if (piece.length === 0) throw sourceChanged(name, size, size - left);
      left -= piece.length;
      ahead = left > 0 ? readPiece(handle, left) : undefined;
      yield piece;
    }
    const { size: now } = await readable(name, () => handle.stat());
    if (now !== size) throw sourceChanged(name, size, now);
  } finally {
    await ahead?.catch(() => undefined);
    await handle.close();
  }
}

async function readPiece(handle: FileHandle, left: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(left, CHUNK_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
  return buffer.subarray(0, bytesRead);
}
