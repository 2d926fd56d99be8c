import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Opens a file for reading; throws, without waiting, for a pipe, a folder or a device. */
export async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  // Opening a pipe would wait for a writer. Windows has no such flag.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | flags);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new Error("it is not a file");
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a file whole; throws like {@link openRegular}. */
export async function readRegular(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const handle = await openRegular(path);
  try {
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}
