import { constants } from "node:fs";
import { access, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { wait } from "../../base/async/abort.ts";
import { JOURNAL_WAIT_MS } from "../../base/config/limits.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { invalidOption, sourceUnreadable, unsupported } from "../../base/errors/input.ts";
import { entryBusy, journalBusy, journalDamaged, missingJournalKey } from "../../base/errors/journal.ts";
import type { JournalPlace, JournalStore, OwnedEntry } from "../types.ts";
import { eraseFile, isErased, removeFile, replaceFile, syncFolder, unlessMissing } from "./durable-files.ts";
import { toPath } from "./files.ts";
import { type Lock, listHeldLocks, removeStaleLocks, takeLock, takeNewLock } from "./journal-lock.ts";
import { createStampedReader, createTwinFile, readRegular } from "./small-files.ts";
import { withWriteErrors } from "./target-file.ts";
import { removeLeftOver } from "./temporary-file.ts";

const ENTRY = /^([0-9a-f]{32})\.entry$/;
const KEY_BYTES = 32;
const LOCK_POLL_MS = 20;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Keeps a journal in a folder: one small file per entry and, each twice, the journal's description and the key file, which
 * only this user may read. A folder on a read-only medium can be read.
 *
 * @throws `INVALID_OPTION`, `UNSUPPORTED` for a name instead of a folder, `CANNOT_WRITE`
 */
export async function journalStore({ folder, name }: JournalPlace): Promise<JournalStore> {
  if (name !== undefined) throw unsupported("a journal by its name; pass a folder");
  if (typeof folder !== "string" && !(folder instanceof URL)) throw invalidOption("folder", "a path or a file: URL");
  const place = toPath(folder, () => invalidOption("folder", "a path or a file: URL of this machine"));
  const keyPath = join(place, "journal.key");
  const keyFile = createTwinFile(keyPath, (path) => orUndefined(path, readKeyFile(path)));
  const entryPath = (id: string) => join(place, `${id}.entry`);
  let headerFile = createHeaderFile(place);
  let usesKeyFile = false;

  const writing = <T>(work: () => Promise<T>) => withWriteErrors(place, work);

  const readEntry = (id: string) => orUndefined(entryPath(id), readRegular(entryPath(id)));

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
        await writing(() => eraseFile(entryPath(id), { soon: true, size }));
        await lock.remove();
      },
      release: () => writing(() => lock.release()),
    };
  }

  await writing(async () => {
    const created = await mkdir(place, { recursive: true, mode: 0o700 });
    if (created !== undefined) await syncFolder(dirname(created));
    await access(place, constants.R_OK | constants.X_OK);
    await access(place, constants.W_OK).catch((error) => {
      if (error.code !== "EROFS") throw error;
    });
  });
  await removeLeftOver(place);
  // Whatever they cannot be removed for, they harm nobody.
  await removeStaleLocks(
    place,
    // What cannot be read exists.
    (id) => readEntry(id).then(Boolean, () => true),
    (id) => removeFile(entryPath(id)),
  ).catch(() => undefined);
  return {
    place,
    readHeader: () => headerFile.read(),
    writeHeader: (header) => writing(() => headerFile.write(header)),
    async machineKey(mayCreate) {
      if (mayCreate) await writing(() => keyFile.create(crypto.getRandomValues(new Uint8Array(KEY_BYTES))));
      const key = await keyFile.read();
      const folder = dirname(keyPath);
      const restore = `put the file back from a copy, open the journal by another of its slots, or move ${folder} away to start a new journal, which loses what is still open in this one`;
      if (!key) throw missingJournalKey(folder, keyPath, restore);
      if (key.length !== KEY_BYTES) throw journalDamaged(keyPath);
      usesKeyFile = true;
      return crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]);
    },
    removeMachineKey: () => writing(() => keyFile.erase()),
    async repair() {
      // A key file that has opened nothing may be a wrong one.
      const twins = () => [createHeaderFile(place), ...(usesKeyFile ? [keyFile] : [])];
      if ((await Promise.all(twins().map((twin) => twin.isWhole()))).every(Boolean)) return;
      // Another process that has the lock replaces them, or repairs them.
      const lock = await takeLock(place, "journal");
      try {
        if (lock) for (const twin of twins()) await twin.repair();
      } finally {
        await lock?.release();
      }
    },
    async exclusively(work) {
      const until = performance.now() + JOURNAL_WAIT_MS;
      const take = () => writing(() => takeLock(place, "journal"));
      let lock = await take();
      for (; !lock; lock = await take()) {
        if (performance.now() > until) throw journalBusy(place);
        await wait(LOCK_POLL_MS, undefined);
      }
      // What is replaced meanwhile must not be out of date, whatever the file system has cached.
      headerFile = createHeaderFile(place);
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
    read: readEntry,
    async own(id, expected) {
      const lock = await writing(() => (expected === "new" ? takeNewLock(place, id) : takeLock(place, id)));
      if (!lock) return undefined;
      try {
        // The process that had the lock may have completed the entry meanwhile.
        if (expected !== "existing" || (await readEntry(id))) return toOwnedEntry(id, lock, expected === "new");
      } catch (error) {
        await lock.release().catch(() => undefined);
        throw error;
      }
      await lock.remove();
      return undefined;
    },
    listOwned: (ids) => listHeldLocks(place, ids),
  };
}

/**
 * Resolves with what was read; with `undefined` if there is no file, or one that was erased, whose name a power cut has
 * brought back: a key of its bytes would be everybody's. Throws `SOURCE_UNREADABLE`, or the typed error of `reading`.
 */
async function orUndefined(path: string, reading: Promise<Bytes>): Promise<Bytes | undefined> {
  try {
    const bytes = await unlessMissing(reading);
    return bytes && !isErased(bytes) ? bytes : undefined;
  } catch (error) {
    throw isKeeplightError(error) ? error : sourceUnreadable(path, error);
  }
}

function createHeaderFile(place: string) {
  const readers = new Map<string, () => Promise<Bytes>>();
  return createTwinFile(join(place, "journal.json"), (path) => {
    const read = readers.get(path) ?? createStampedReader(path);
    readers.set(path, read);
    return orUndefined(path, read());
  });
}

/** Reads a key file; refuses one that other users of this machine can read, or that another user made. */
function readKeyFile(path: string): Promise<Bytes> {
  // Windows has no such flag.
  return readRegular(path, constants.O_NOFOLLOW ?? 0, ({ mode, uid }) => {
    // Windows has no such modes and users.
    const isOwn = process.getuid === undefined || uid === process.getuid();
    if (process.platform !== "win32" && ((mode & 0o077) !== 0 || !isOwn)) {
      const message = `Other users can read the journal's key file: run chmod 600 ${path}, and chown it if it is another user's`;
      const details = { path, mode: (mode & 0o777).toString(8).padStart(3, "0") };
      throw new KeeplightError("JOURNAL_KEY_EXPOSED", message, { details });
    }
  });
}
