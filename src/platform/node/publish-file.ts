import { type FileHandle, lstat, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./durable.ts";

/** A file under a temporary name, all of which is written. */
interface WrittenFile {
  path: string;
  handle: FileHandle;
  /** Resolves once its bytes are on the disk. */
  sync(): Promise<void>;
}

/**
 * Renames a file to its target and closes it: a power cut leaves a whole file there, or none. Everyone who might read the
 * file that it replaces may read it.
 */
export async function publishFile({ path, handle, sync }: WrittenFile, target: string): Promise<void> {
  const replaced = await lstat(target).catch(() => undefined);
  // Some file systems keep no modes.
  if (replaced?.isFile()) await handle.chmod(replaced.mode & 0o777).catch(() => undefined);
  await sync();
  await handle.close();
  await rename(path, target);
  await syncFolder(dirname(target));
}
