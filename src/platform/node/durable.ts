import { type FileHandle, open } from "node:fs/promises";

/** The disk is busy with earlier bytes while later ones come in, so that little is left to wait for at the end. */
const SYNC_BYTES = 32 * 1024 * 1024;

/** Gets the bytes of one file to the disk, where they outlast a power cut. */
export interface Syncer {
  /** Call it after each write, with the bytes written so far. Returns at once. */
  advance(written: number): void;
  /** Resolves once all bytes are on the disk; rejects if any could not be put there. */
  finish(): Promise<void>;
}

export function createSyncer(handle: FileHandle): Syncer {
  let synced = 0;
  let underWay: Promise<void> | undefined;

  return {
    advance(written) {
      if (underWay || written - synced < SYNC_BYTES) return;
      synced = written;
      underWay = whereSupported(handle.datasync());
      // A failure is told once by the system: it stays for the end.
      underWay.then(
        () => {
          underWay = undefined;
        },
        () => undefined,
      );
    },
    async finish() {
      await underWay;
      await whereSupported(handle.sync());
    },
  };
}

/** Makes a rename outlast a power cut, where the system can and the user may open the folder. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file has its name and cannot be taken back.
  }
}

/** Some file systems have nothing to sync. */
async function whereSupported(sync: Promise<void>): Promise<void> {
  try {
    await sync;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(code)) throw error;
  }
}
