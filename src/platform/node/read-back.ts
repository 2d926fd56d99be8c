import type { FileHandle } from "node:fs/promises";
import { CHUNK_BYTES } from "../../base/config/limits.ts";
import { withWriteErrors } from "./file-target.ts";

/** Yields the bytes of a file that is being written to, from its start; `path` is that of its target. */
export async function* readBack(handle: FileHandle, path: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const { bytesRead } = await withWriteErrors(path, () => handle.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
