import { lstat, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CHUNK_BYTES } from "../../config/limits.ts";
import { invalidOption } from "../../errors/input.ts";
import { cannotWrite } from "../../errors/source.ts";
import type { RereadableSink, SavedFile } from "../types.ts";
import { createSyncer, syncFolder } from "./durable.ts";
import { toPath } from "./files.ts";
import { openTemporary } from "./temporary-file.ts";
import { createWriter } from "./writer.ts";

/**
 * Writes to a temporary file beside the target and renames it on commit: at the target there is never a partial or an
 * untrusted file, not even after a power cut. Until then only this user may read the file, afterwards everyone who might
 * read the file that it replaces. A symbolic link at the target is replaced, not followed.
 *
 * @throws `CANNOT_WRITE`
 */
export async function fileSink(target: string | URL): Promise<RereadableSink<SavedFile>> {
  const path = toPath(target, () => invalidOption("to", "a path or a file: URL of this machine"));
  await refuseNonFile(path);
  const { handle, tidied, ...temporary } = await withWriteErrors(path, () => openTemporary(dirname(path)));
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
    async write(chunk) {
      await withWriteErrors(path, () => writer.write(chunk));
      syncer.advance(writer.written());
    },
    async commit() {
      try {
        return await withWriteErrors(path, async () => {
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
      await withWriteErrors(path, writer.flush);
      for (let at = 0; ; ) {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        const { bytesRead } = await withWriteErrors(path, () => handle.read(buffer, 0, buffer.length, at));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    abandon,
  };
}

/** A rename would replace a device or a pipe, which others still use. */
async function refuseNonFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw cannotWrite(path, new Error("it is not a file"));
}

/** Runs `work` and translates its errors to `CANNOT_WRITE`. */
export async function withWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
