import { type FileHandle, lstat, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CHUNK_BYTES } from "../../config/limits.ts";
import { invalidOption } from "../../errors/input.ts";
import { cannotWrite } from "../../errors/source.ts";
import type { RereadableSink, SavedFile } from "../types.ts";
import { createSyncer, syncFolder } from "./durable.ts";
import { toPath } from "./files.ts";
import { openTemporary } from "./temporary-file.ts";

const FLUSH_BYTES = 512 * 1024;

/**
 * Writes beside the target under a name of its own and renames on commit: at the target there is never half a file,
 * nor one that may not be trusted, not even after a power cut. Until then only this user may read the file, afterwards
 * whoever might read the file that it replaces. A symbolic link at the target is replaced, not followed.
 *
 * @throws `CANNOT_WRITE`
 */
export async function fileSink(target: string | URL): Promise<RereadableSink<SavedFile>> {
  const path = toPath(target, () => invalidOption("to", "a path or a file: URL of this machine"));
  await refuseOther(path);
  const { handle, tidied, ...temporary } = await writing(path, () => openTemporary(dirname(path)));
  const writer = createWriter(handle);
  const syncer = createSyncer(handle);
  let finished = false;

  async function abandon(): Promise<void> {
    if (finished) return;
    finished = true;
    await handle.close().catch(() => undefined);
    await rm(temporary.path, { force: true });
    await tidied;
  }

  return {
    async write(piece) {
      await writing(path, () => writer.write(piece));
      syncer.advance(writer.written());
    },
    async commit() {
      try {
        return await writing(path, async () => {
          await writer.flush();
          const replaced = await lstat(path).catch(() => undefined);
          // Some file systems keep no modes.
          if (replaced?.isFile()) await handle.chmod(replaced.mode & 0o777).catch(() => undefined);
          await syncer.finish();
          await handle.close();
          await rename(temporary.path, path);
          finished = true;
          await syncFolder(dirname(path));
          await tidied;
          return { path, size: writer.written() };
        });
      } catch (error) {
        await abandon();
        throw error;
      }
    },
    async *reread() {
      await writing(path, writer.flush);
      for (let at = 0; ; ) {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        const { bytesRead } = await writing(path, () => handle.read(buffer, 0, buffer.length, at));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    abandon,
  };
}

/** The rename would put a file in the place of a device or a pipe, which others go on to use. */
async function refuseOther(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw cannotWrite(path, new Error("it is no file"));
}

/** Tells what goes wrong with `work` as `CANNOT_WRITE`. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Gathers small pieces, so that a write to disk is worth its round trip. */
export function createWriter(handle: FileHandle) {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  let written = 0;

  async function flush(): Promise<void> {
    const block = gathered.length === 1 && gathered[0] ? gathered[0] : Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
    for (let at = 0; at < block.length; ) {
      const { bytesWritten } = await handle.write(block, at, block.length - at);
      at += bytesWritten;
    }
    written += block.length;
  }

  return {
    async write(piece: Uint8Array): Promise<void> {
      gathered.push(piece);
      bytes += piece.length;
      if (bytes >= FLUSH_BYTES) await flush();
    },
    flush,
    written: () => written,
  };
}
