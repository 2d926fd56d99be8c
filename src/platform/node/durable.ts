import { type FileHandle, open } from "node:fs/promises";

/** Earlier bytes are flushed while later ones arrive, so that little remains to be flushed at the end. */
const SYNC_BYTES = 32 * 1024 * 1024;

/** Flushes one file to the disk, where it survives a power cut. */
export interface Syncer {
  /** Call it after each write, with the bytes written so far. Does not wait. */
  advance(written: number): void;
  /** Resolves once all bytes are on the disk; rejects if any could not be flushed. */
  finish(): Promise<void>;
}

/** Flushes a file that is being written, from time to time and at its end. */
export function createSyncer(handle: FileHandle): Syncer {
  let synced = 0;
  let pending: Promise<void> | undefined;

  return {
    advance(written) {
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
    async finish() {
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

/**
 * Runs work that gives a file in a folder its name; then that survives a power cut, like after {@link syncFolder}. Opens
 * the folder meanwhile.
 */
export async function withFolderSync(folder: string, work: () => Promise<void>): Promise<void> {
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
