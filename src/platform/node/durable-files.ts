import { type FileHandle, link, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { createTemporaryPath } from "./temporary-file.ts";

/**
 * What a file is overwritten with, over and over. The disk may have that and still the old name, after a power cut: so it
 * says that nothing is lost.
 */
const ERASED = Buffer.from("keeplight erased");

/** Whether a file was overwritten, in whole or in part, to be removed. */
export function isErased(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(ERASED);
}

/** Resolves with `undefined` if `work` fails because there is no such file. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
}

export const removeFile = (path: string): Promise<void> => unlessMissing(unlink(path));

/** Writes a file of mode 0600 under a new name beside `path`, and returns it; `durable` bytes survive a power cut. */
export async function writeTemporary(path: string, bytes: Uint8Array, { durable }: { durable: boolean }) {
  const temporary = createTemporaryPath(dirname(path));
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    if (durable) await createSyncer(handle).finish();
    return temporary;
  } catch (error) {
    await removeFile(temporary);
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file as a whole: at any moment, even if the process is killed, it has the old bytes or the new ones.
 *
 * @param options - with `durable` the new bytes survive a power cut once it resolves; `beforeReplacing` prevents it by
 * throwing
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  { durable, beforeReplacing }: { durable: boolean; beforeReplacing?: () => Promise<void> },
): Promise<void> {
  const replace = async () => {
    const temporary = await writeTemporary(path, bytes, { durable });
    await renameTemporary(temporary, path, beforeReplacing);
  };
  await (durable ? withFolderSync(dirname(path), replace) : replace());
}

/** Gives a temporary file its name, in place of any file of that name, unless `before` throws. */
export async function renameTemporary(temporary: string, path: string, before?: () => Promise<void>): Promise<void> {
  try {
    await before?.();
    await rename(temporary, path);
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
}

/** Gives a temporary file its name and returns `true`, unless there is a file of that name. Requires hard links. */
export async function linkExclusively(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await removeFile(temporary);
  }
}

/** Creates a file with these bytes, which survive a power cut once it resolves, unless there is one already. */
export async function createDurably(path: string, bytes: Uint8Array): Promise<void> {
  await withFolderSync(dirname(path), async () => {
    await linkExclusively(await writeTemporary(path, bytes, { durable: true }), path);
  });
}

/**
 * Overwrites a file, so that its bytes do not stay on the disk where that is possible, and removes it. Renames it first: a
 * process that is killed meanwhile leaves no damaged file under its name, and what it leaves goes with the next
 * {@link removeLeftOver}. Does nothing if there is no such file.
 *
 * @param options - with `soon` it waits for the disk no longer than the file has its name: it is flushed and removed soon
 * after; `size` in bytes, if known
 */
export async function eraseFile(
  path: string,
  options: { soon?: boolean; size?: number | undefined } = {},
): Promise<void> {
  const temporary = createTemporaryPath(dirname(path));
  const isRenamed = await unlessMissing(rename(path, temporary).then(() => true));
  if (!isRenamed) return;
  let handle: FileHandle | undefined;

  async function flushAndRemove(): Promise<void> {
    try {
      if (handle) await createSyncer(handle).finish();
    } finally {
      await handle?.close();
      await removeFile(temporary);
    }
  }

  try {
    handle = await open(temporary, "r+");
    const { size = (await handle.stat()).size } = options;
    await handle.write(Buffer.alloc(size, ERASED), 0, size, 0);
  } catch (error) {
    await flushAndRemove().catch(() => undefined);
    throw error;
  }
  const removed = flushAndRemove();
  // Nobody can do anything about a failure: the file has no name that anyone looks for.
  if (options.soon) removed.catch(() => undefined);
  else await removed;
}

/** Earlier bytes are flushed while later ones arrive, so that little remains to be flushed at the end. */
const SYNC_BYTES = 32 * 1024 * 1024;

/** Flushes a file that is being written to the disk, from time to time and at its end: it survives a power cut. */
export function createSyncer(handle: FileHandle) {
  let synced = 0;
  let pending: Promise<void> | undefined;

  return {
    /** Call it after each write, with the bytes written so far. Does not wait. */
    advance(written: number): void {
      if (pending || written - synced < SYNC_BYTES) return;
      synced = written;
      pending = ignoreUnsupported(handle.datasync());
      // The system reports a failure only once: keeps the rejected promise for `finish`.
      pending.then(
        () => {
          pending = undefined;
        },
        () => undefined,
      );
    },
    /** Resolves once all bytes are on the disk; rejects if any could not be flushed. */
    async finish(): Promise<void> {
      await pending;
      await ignoreUnsupported(handle.sync());
    },
  };
}

/** Makes a rename survive a power cut, if the system can and the user may open the folder. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file has its name, and the rename cannot be undone.
  }
}

/** Like {@link syncFolder} after work that gives a file in the folder its name, but opens the folder meanwhile. */
async function withFolderSync(folder: string, work: () => Promise<void>): Promise<void> {
  const opening = open(folder, "r").catch(() => undefined);
  try {
    await work();
    await (await opening)?.sync().catch(() => undefined);
  } finally {
    // Nothing of it is unwritten, so that nobody has to wait.
    opening.then((handle) => handle?.close()).catch(() => undefined);
  }
}

/** Some file systems do not support syncing. */
async function ignoreUnsupported(sync: Promise<void>): Promise<void> {
  try {
    await sync;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(code)) throw error;
  }
}
