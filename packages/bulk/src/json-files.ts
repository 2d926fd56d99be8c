import { mkdir } from "node:fs/promises";
import { replaceFile, takeLock, withWriteErrors } from "keeplight/parts/node";

/** Replaces a file by the JSON of a value, as a whole; throws `CANNOT_WRITE`. */
export function writeJson(path: string, value: object, { durable } = { durable: true }): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
  return withWriteErrors(path, () => replaceFile(path, bytes, { durable }));
}

/** Whether a value that was parsed is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Runs work while no other call, of this or another process, has the lock of a folder, which is created with mode 0700.
 *
 * @param refusal - the error for a lock that is taken
 * @throws `CANNOT_WRITE`
 */
export async function withFolderLock<T>(
  folder: string,
  name: string,
  refusal: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await withWriteErrors(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return takeLock(folder, name);
  });
  if (!lock) throw refusal();
  return work().finally(() => lock.release());
}
