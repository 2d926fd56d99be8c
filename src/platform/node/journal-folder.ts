import { constants } from "node:fs";
import { access, mkdir, open, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption, unsupported } from "../../errors/input.ts";
import { entryBusy, exposedJournalKey, journalDamaged, missingJournalKey } from "../../errors/journal.ts";
import { cannotWrite, sourceUnreadable } from "../../errors/source.ts";
import type { JournalPlace, JournalStore, OwnedEntry } from "../types.ts";
import { syncFolder } from "./durable.ts";
import { toPath } from "./files.ts";
import { createDurably, eraseFile, eraseFileSoon, replaceFile } from "./journal-files.ts";
import { type Lock, listHeldLocks, removeStaleLocks, takeLock, takeNewLock } from "./journal-lock.ts";
import { createStampedFile } from "./stamped-file.ts";
import { removeLeftOver } from "./temporary-file.ts";

const ENTRY = /^([0-9a-f]{32})\.entry$/;
const KEY_BYTES = 32;
const LOCK_POLL_MS = 20;

/**
 * Keeps a journal in a folder: one small file per entry, the journal's description, and the key file, which only this
 * user may read.
 *
 * @throws `INVALID_OPTION`, `UNSUPPORTED` for a name instead of a folder, `CANNOT_WRITE`
 */
export async function journalStore({ folder, name }: JournalPlace): Promise<JournalStore> {
  if (name !== undefined) throw unsupported("a journal by its name; pass a folder");
  if (typeof folder !== "string" && !(folder instanceof URL)) throw invalidOption("folder", "a path or a file: URL");
  const place = toPath(folder, () => invalidOption("folder", "a path or a file: URL of this machine"));
  const headerPath = join(place, "journal.json");
  const keyPath = join(place, "journal.key");
  const entryPath = (id: string) => join(place, `${id}.entry`);
  let headerFile = createStampedFile(headerPath);

  async function writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isKeeplightError(error) ? error : cannotWrite(place, error);
    }
  }

  async function readOrUndefined(
    path: string,
    read: () => Promise<Uint8Array> = () => readFile(path),
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return new Uint8Array(await read());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw sourceUnreadable(path, error);
    }
  }

  function toOwnedEntry(id: string, lock: Lock, isNew: boolean): OwnedEntry {
    // Others know a new entry from its first write on: until then there is none of another process to write over.
    let isKnown = !isNew;
    let size: number | undefined;

    async function assertHeld(): Promise<void> {
      if (isKnown && !(await lock.isHeld())) throw entryBusy(id);
    }

    return {
      async write(sealed, options) {
        // Held as late as possible: flushing takes long, and the process may be suspended meanwhile.
        await writing(() => replaceFile(entryPath(id), sealed, { ...options, beforeReplacing: assertHeld }));
        isKnown = true;
        size = sealed.length;
      },
      async remove() {
        await writing(assertHeld);
        await writing(() => eraseFileSoon(entryPath(id), size));
        await lock.remove();
      },
      release: () => writing(() => lock.release()),
    };
  }

  await writing(async () => {
    const created = await mkdir(place, { recursive: true, mode: 0o700 });
    if (created !== undefined) await syncFolder(dirname(created));
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
  });
  await removeLeftOver(place);
  // Whatever they cannot be removed for, they harm nobody.
  await removeStaleLocks(place, async (id) => (await readOrUndefined(entryPath(id))) !== undefined).catch(
    () => undefined,
  );
  return {
    place,
    readHeader: () => readOrUndefined(headerPath, headerFile.read),
    writeHeader: (header) => writing(() => replaceFile(headerPath, header, { durable: true })),
    async machineKey(mayCreate) {
      if (mayCreate) {
        const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
        await writing(() => createDurably(keyPath, key));
      }
      return importKey(await readKeyFile(keyPath));
    },
    async removeMachineKey() {
      if (await readOrUndefined(keyPath)) await writing(() => eraseFile(keyPath));
    },
    async exclusively(work) {
      let lock: Lock | undefined;
      while (!lock) {
        lock = await writing(() => takeLock(place, "journal"));
        if (!lock) await sleep(LOCK_POLL_MS);
      }
      // What is replaced meanwhile must not be out of date, whatever the file system has cached.
      headerFile = createStampedFile(headerPath);
      try {
        return await work();
      } finally {
        await lock.release();
      }
    },
    async list() {
      const names = await readdir(place).catch((error) => {
        throw sourceUnreadable(place, error);
      });
      return names.flatMap((file) => ENTRY.exec(file)?.[1] ?? []);
    },
    read: (id) => readOrUndefined(entryPath(id)),
    async own(id, expected) {
      const lock = await writing(() => (expected === "new" ? takeNewLock(place, id) : takeLock(place, id)));
      if (!lock) return undefined;
      // The process that had the lock may have completed the entry meanwhile.
      if (expected !== "existing" || (await readOrUndefined(entryPath(id)))) {
        return toOwnedEntry(id, lock, expected === "new");
      }
      await lock.remove();
      return undefined;
    },
    listOwned: (ids) => listHeldLocks(place, ids),
  };
}

function importKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Reads the key file; refuses one that other users of this machine can read, or that another user made. */
async function readKeyFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  // Windows has no such flag.
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW).catch((error) => {
    throw error.code === "ENOENT" ? keyFileMissing(path) : sourceUnreadable(path, error);
  });
  try {
    const { mode, uid } = await handle.stat();
    // Windows has no such modes and users.
    const isOwn = process.getuid === undefined || uid === process.getuid();
    if (process.platform !== "win32" && ((mode & 0o077) !== 0 || !isOwn)) throw exposedJournalKey(path, mode & 0o777);
    const key = new Uint8Array(await handle.readFile());
    if (key.length !== KEY_BYTES) throw journalDamaged(path);
    return key;
  } finally {
    await handle.close();
  }
}

function keyFileMissing(path: string): Error {
  const folder = dirname(path);
  const restore = `put the file back from a copy, open the journal by another of its slots, or move ${folder} away to start a new journal, which loses what is still open in this one`;
  return missingJournalKey(folder, path, restore);
}
