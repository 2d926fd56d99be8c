import { type FileHandle, lstat, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CHUNK_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { cannotWrite, invalidOption } from "../../base/errors/input.ts";
import { createSyncer, syncFolder } from "./durable-files.ts";
import { toPath } from "./files.ts";

/** Resolves the path of a file that is to be written; throws `INVALID_OPTION`. */
export function toTarget(target: string | URL): string {
  return toPath(target, () => invalidOption("to", "a path or a file: URL of this machine"));
}

/** Throws `CANNOT_WRITE` for a device or a pipe: a rename would replace it, and others still use it. */
export async function refuseNonFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw cannotWrite(path, new Error("it is not a file"));
}

/** Runs `work` and translates the errors of the system to `CANNOT_WRITE`. */
export async function withWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isKeeplightError(error) ? error : cannotWrite(path, error);
  }
}

/** Bytes of a block: large ones take the fewest calls of the system. */
const BLOCK_BYTES = 1024 * 1024;

/**
 * Writes chunks to the end of an open file, ahead of the disk: the next chunks arrive while a block is being written.
 *
 * @param name - for errors: all of it throws `CANNOT_WRITE`
 */
export function createWriter(handle: FileHandle, name: string) {
  let block: Uint8Array[] = [];
  let bytes = 0;
  let written = 0;
  let writing = Promise.resolve();

  async function writeBlock(chunks: readonly Uint8Array[], size: number): Promise<void> {
    const { bytesWritten } = await handle.writev(chunks);
    written += bytesWritten;
    if (bytesWritten === size) return;
    const all = Buffer.concat(chunks);
    for (let at = bytesWritten; at < size; ) {
      const { bytesWritten } = await handle.write(all, at, size - at);
      written += bytesWritten;
      at += bytesWritten;
    }
  }

  /** Starts to write what has arrived, once the block before it is written. */
  async function start(): Promise<void> {
    await writing;
    if (bytes === 0) return;
    writing = writeBlock(block, bytes);
    // The next call throws it.
    writing.catch(() => undefined);
    block = [];
    bytes = 0;
  }

  const flush = () =>
    withWriteErrors(name, async () => {
      await start();
      await writing;
    });

  return {
    /** Waits only for the block before this one; throws the error of any chunk. The chunk must not change later. */
    async write(chunk: Uint8Array): Promise<void> {
      block.push(chunk);
      bytes += chunk.length;
      if (bytes >= BLOCK_BYTES) await withWriteErrors(name, start);
    },
    /** Resolves once everything is written. */
    flush,
    written: () => written,
    /** Yields what the file has, from its start. */
    async *read(): AsyncGenerator<Uint8Array, void> {
      await flush();
      for (let at = 0; ; ) {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        const { bytesRead } = await withWriteErrors(name, () => handle.read(buffer, 0, buffer.length, at));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
  };
}

/** Writes to an open file at `path` that will be renamed to `target`. All of it throws `CANNOT_WRITE`. */
export function openTarget(handle: FileHandle, path: string, target: string) {
  const writer = createWriter(handle, target);
  const syncer = createSyncer(handle);
  return {
    ...writer,
    async write(chunk: Uint8Array): Promise<void> {
      await writer.write(chunk);
      syncer.advance(writer.written());
    },
    /**
     * Renames the file and closes it: a power cut leaves a whole file there, or none. Everyone who might read the file
     * that it replaces may read it.
     */
    publish: () =>
      withWriteErrors(target, async () => {
        await writer.flush();
        const replaced = await lstat(target).catch(() => undefined);
        // Some file systems keep no modes.
        if (replaced?.isFile()) await handle.chmod(replaced.mode & 0o777).catch(() => undefined);
        await syncer.finish();
        await handle.close();
        await rename(path, target);
        await syncFolder(dirname(target));
      }),
  };
}
