import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { CHUNK_BYTES } from "../../base/config/limits.ts";
import type { Sink, Spooled } from "../types.ts";
import { withWriteErrors } from "./file-target.ts";
import { openTemporary } from "./temporary-file.ts";
import { createWriter } from "./writer.ts";

const PLACE = "the temporary folder";

/**
 * Keeps bytes in a file of the system's temporary folder that only this user may read. Its name is removed while it is
 * open, so that nothing is left behind even if the process dies.
 *
 * @throws `CANNOT_WRITE`, also later while it is written to
 */
export async function spool(): Promise<Sink<Spooled>> {
  const { path, handle, tidied } = await withWriteErrors(PLACE, () => openTemporary(tmpdir()));
  const writer = createWriter(handle);
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
    write: (chunk) => withWriteErrors(PLACE, () => writer.write(chunk)),
    abandon: discard,
    async commit() {
      await withWriteErrors(PLACE, writer.flush);
      let position = 0;
      const stream = () =>
        new ReadableStream<Uint8Array>({
          async pull(controller) {
            const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
            const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
            position += bytesRead;
            if (bytesRead > 0) {
              controller.enqueue(buffer.subarray(0, bytesRead));
            } else {
              await discard();
              controller.close();
            }
          },
          cancel: discard,
        });
      return { stream, discard };
    },
  };
}
