import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { SavedFile } from "../saved-file.ts";
import type { RereadableSink } from "../types.ts";
import { createSyncer } from "./durable.ts";
import { refuseNonFile, toTarget, withWriteErrors } from "./file-target.ts";
import { publishFile } from "./publish-file.ts";
import { readBack } from "./read-back.ts";
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
  const path = toTarget(target);
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
          await publishFile({ path: temporary.path, handle, sync: syncer.finish }, path);
          finished = true;
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
      yield* readBack(handle, path);
    },
    abandon,
  };
}
