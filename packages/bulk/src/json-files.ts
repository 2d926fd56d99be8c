import { mkdir, open } from "node:fs/promises";
import { replaceFile, takeLock, withWriteErrors } from "keeplight/parts/node";

/** Replaces a file by the JSON of a value, as a whole; throws `CANNOT_WRITE`. */
export function writeJson(path: string, value: object, { durable } = { durable: true }): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
  return withWriteErrors(path, () => replaceFile(path, bytes, { durable }));
}

/** Characters that are collected before they are written. */
const WRITE_CHARACTERS = 64 * 1024;

/** Opens a file of JSON lines, or creates it with mode 0600. Throws `CANNOT_WRITE`, as all that it returns does. */
export async function openLines(path: string, flags: "a" | "a+" | "w") {
  const handle = await withWriteErrors(path, () => open(path, flags, 0o600));
  let collected = "";

  async function flush(): Promise<void> {
    const text = collected;
    collected = "";
    if (text !== "") await withWriteErrors(path, () => handle.appendFile(text));
  }

  return {
    handle,
    async add(line: object): Promise<void> {
      collected += `${JSON.stringify(line)}\n`;
      if (collected.length >= WRITE_CHARACTERS) await flush();
    },
    flush,
    /** Writes what is left, durably. */
    async finish(): Promise<void> {
      await flush();
      await withWriteErrors(path, () => handle.sync());
    },
    /** Removes all lines. */
    async clear(): Promise<void> {
      collected = "";
      await withWriteErrors(path, () => handle.truncate(0));
    },
    /** Closes the file; what was added last may be missing. Never fails. */
    close: () => handle.close().catch(() => undefined),
  };
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
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
