import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { tooLargeForArray } from "../../base/errors/transport.ts";
import { toStream } from "../../base/streams/reading.ts";
import type { RereadableSink, SavedFile, Sink, Spooled } from "../types.ts";
import { maxArrayBytes } from "./array-limit.ts";
import { createWriter, openTarget, refuseNonFile, toTarget, withWriteErrors } from "./target-file.ts";
import { openTemporary } from "./temporary-file.ts";

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
  const file = openTarget(handle, temporary.path, path);
  let finished = false;

  async function abandon(): Promise<void> {
    if (finished) return;
    finished = true;
    await handle.close().catch(() => undefined);
    await rm(temporary.path, { force: true });
    await tidied;
  }

  return {
    write: file.write,
    async commit() {
      try {
        await file.publish();
      } catch (error) {
        await abandon();
        throw error;
      }
      finished = true;
      await tidied;
      return { path, size: file.written() };
    },
    reread: file.read,
    abandon,
  };
}

const PLACE = "the temporary folder";

/**
 * Keeps bytes in a file of the system's temporary folder. Its name is removed while it is open, so that nothing is left
 * behind even if the process dies. Throws `CANNOT_WRITE`, also later while it is written to.
 */
export async function spool(): Promise<Sink<Spooled>> {
  const { path, handle, tidied } = await withWriteErrors(PLACE, () => openTemporary(tmpdir()));
  const { write, flush, read } = createWriter(handle, PLACE);
  // Windows cannot remove an open file; there `discard` does.
  await rm(path, { force: true }).catch(() => undefined);
  await tidied;
  let discarded = false;

  async function discard(): Promise<void> {
    if (discarded) return;
    discarded = true;
    await handle.close();
    await rm(path, { force: true });
  }

  return {
    write,
    abandon: discard,
    async commit() {
      await flush();
      return { stream: () => toStream(read(), discard), discard };
    },
  };
}

/** Node keeps the bytes in memory: no more than one array holds. */
export async function blobSink(): Promise<Sink<Blob>> {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;

  function announce(bytes: number): void {
    if (bytes > maxArrayBytes) throw tooLargeForArray(bytes);
  }

  return {
    announce,
    async write(chunk) {
      size += chunk.length;
      announce(size);
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    },
    commit: async () => new Blob(chunks),
    async abandon() {
      chunks = [];
    },
  };
}
