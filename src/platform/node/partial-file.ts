import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PartialFile, PartialFiles } from "../types.ts";
import { removeFile } from "./durable-files.ts";
import { openTarget, refuseNonFile, toTarget, withWriteErrors } from "./target-file.ts";
import { removeLeftOver } from "./temporary-file.ts";

/** Returns where the partial files of a target are: beside it, so that one can be renamed to it. */
export function partialFiles(target: string | URL): PartialFiles {
  const path = toTarget(target);
  const pathOf = (id: string) => join(dirname(path), `.keeplight-${id}.partial`);
  return {
    path,
    async open(id) {
      await refuseNonFile(path);
      await removeLeftOver(dirname(path));
      return withWriteErrors(path, () => openPartial(pathOf(id), path));
    },
    remove: (id) => withWriteErrors(path, () => removeFile(pathOf(id))),
  };
}

async function openPartial(own: string, target: string): Promise<PartialFile> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = constants;
  const handle = await open(own, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  const file = openTarget(handle, own, target);
  let size = await readOwnSize(handle).catch(async (error) => {
    await handle.close();
    throw error;
  });
  /** Before what is written now. */
  let start = size;

  return {
    get size() {
      return size;
    },
    read: file.read,
    async truncate(bytes) {
      await file.flush();
      if (bytes < size) await withWriteErrors(target, () => handle.truncate(bytes));
      size = bytes;
      start = bytes - file.written();
    },
    async write(chunk) {
      await file.write(chunk);
      size += chunk.length;
    },
    async commit() {
      await file.publish();
      return { path: target, size };
    },
    async close() {
      // What could not be written is received again.
      await file.flush().catch(() => undefined);
      size = start + file.written();
      await handle.close().catch(() => undefined);
    },
  };
}

/** Refuses what another user has put there, who may read what is written to it. */
async function readOwnSize(handle: FileHandle): Promise<number> {
  const found = await handle.stat();
  const uid = process.getuid?.();
  if (!found.isFile() || found.nlink > 1 || (uid !== undefined && found.uid !== uid)) {
    throw new Error("its partial file belongs to another user");
  }
  await handle.chmod(0o600);
  return found.size;
}
