import { JOURNAL_WAIT_MS } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import {
  browserStorageFull,
  cannotWrite,
  invalidOption,
  sourceUnreadable,
  unsupported,
} from "../../base/errors/input.ts";
import { entryBusy, journalBusy, journalClosed, journalDamaged, missingJournalKey } from "../../base/errors/journal.ts";
import type { JournalPlace, JournalStore, OwnedEntry } from "../types.ts";
import { estimateRoom } from "./temporary-blob.ts";
import { takeWebLock, type WebLock } from "./web-lock.ts";

const HEADER = "header";
const KEY = "key";
const ENTRY = /^[0-9a-f]{32}$/;
const RESTORE =
  "open the journal by another of its slots, or use another name, which loses what is still open in this one";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Keeps a journal in a database of this site: one record per entry, the journal's description, and its key, which no page
 * can read but only use. Who owns an entry is known to the Web Locks of the site.
 *
 * @throws `INVALID_OPTION`; `UNSUPPORTED` for a folder instead of a name, and in pages without IndexedDB or Web Locks;
 * `JOURNAL_DAMAGED`, `CANNOT_WRITE`
 */
export async function openJournalDatabase({ folder, name }: JournalPlace): Promise<JournalStore> {
  if (folder !== undefined) throw unsupported("a journal in a folder; pass a name");
  if (typeof name !== "string" || name === "") throw invalidOption("name", "a non-empty string");
  const place: string = name;
  if (!globalThis.navigator?.locks) throw unsupported("a journal without Web Locks, which pages have over HTTPS only");
  const run = await writing(place, () => openDatabase(place));
  const lockName = (what: string) => `keeplight journal ${place} ${what}`;

  async function read<T>(request: MakeRequest<T>): Promise<T> {
    try {
      return await run("readonly", request);
    } catch (error) {
      throw isKeeplightError(error) ? error : sourceUnreadable(place, error);
    }
  }

  const get = <T>(key: string) => read<T | undefined>((store) => store.get(key));

  const write = <T>(request: MakeRequest<T>) => writing(place, () => run("readwrite", request));

  const put = async (key: string, value: unknown) => void (await write((store) => store.put(value, key)));

  function toOwnedEntry(id: string, lock: WebLock): OwnedEntry {
    return {
      async write(sealed) {
        if (!lock.isHeld()) throw entryBusy(id);
        await put(id, sealed);
      },
      async remove() {
        try {
          if (!lock.isHeld()) throw entryBusy(id);
          await write((store) => store.delete(id));
        } finally {
          await lock.release();
        }
      },
      release: lock.release,
    };
  }

  return {
    place,
    readHeader: () => get<Bytes>(HEADER),
    writeHeader: (header) => put(HEADER, header),
    async machineKey(mayCreate) {
      const existing = await get<CryptoKey>(KEY);
      if (existing) return existing;
      if (!mayCreate) throw missingJournalKey(place, "the key in its database", RESTORE);
      const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
      await put(KEY, key);
      return key;
    },
    removeMachineKey: () => write((store) => store.delete(KEY)),
    async exclusively(work) {
      const waiting = AbortSignal.timeout(JOURNAL_WAIT_MS);
      let isWaiting = true;
      const run = () => {
        isWaiting = false;
        return work();
      };
      try {
        return await navigator.locks.request(lockName("description"), { signal: waiting }, run);
      } catch (error) {
        throw isWaiting && waiting.aborted ? journalBusy(place) : error;
      }
    },
    list: async () => (await read((store) => store.getAllKeys())).map(String).filter((key) => ENTRY.test(key)),
    read: get<Bytes>,
    async own(id, expected) {
      const lock = await writing(place, () => takeWebLock(lockName(id), { ifAvailable: true }));
      if (!lock) return undefined;
      try {
        // The page that had the lock may have completed the entry meanwhile.
        if (expected !== "existing" || (await get(id))) return toOwnedEntry(id, lock);
      } catch (error) {
        await lock.release();
        throw error;
      }
      await lock.release();
      return undefined;
    },
    async listOwned(ids) {
      const { held = [] } = await navigator.locks.query();
      const names = new Set(held.map(({ name }) => name));
      return new Map(ids.filter((id) => names.has(lockName(id))).map((id) => [id, "a page"]));
    },
  };
}

/** Throws the errors of the runtime as `CANNOT_WRITE`, or as `UNSUPPORTED`. */
async function writing<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isKeeplightError(error)) throw error;
    const reason = error instanceof DOMException ? error.name : "";
    // Some private windows have databases, but none that keeps keys.
    if (reason === "DataCloneError") throw unsupported("a journal, because this page cannot keep keys");
    throw reason === "QuotaExceededError" ? browserStorageFull(await estimateRoom(), error) : cannotWrite(place, error);
  }
}

const VERSION = 1;
const STORE = "journal";

type MakeRequest<T> = (store: IDBObjectStore) => IDBRequest<T>;

/** Errors of a page that has no database: its site is opaque, or its window is private. */
const NO_DATABASE = new Set(["SecurityError", "InvalidStateError", "NotSupportedError"]);

/**
 * Opens a database of records by string keys; creates it if there is none. Throws `UNSUPPORTED` if this page can have
 * none; `JOURNAL_DAMAGED` if the name is another's, or of a later version; the runtime's own error.
 */
async function openDatabase(name: string) {
  const database = await requestDatabase(name).catch((error: unknown) => {
    const reason = error instanceof DOMException ? error.name : "";
    if (NO_DATABASE.has(reason)) throw unsupported("a journal, because this page may not use IndexedDB");
    const isLater = reason === "VersionError";
    throw isLater ? journalDamaged(`${name}, or written by a later version of this package`, error) : error;
  });
  if (!database.objectStoreNames.contains(STORE)) {
    database.close();
    throw journalDamaged(`${name} is a database of something else`);
  }
  let isClosed = false;
  // Otherwise this page would block a page that deletes the database, or has a later version of this package.
  database.onversionchange = () => {
    isClosed = true;
    database.close();
  };
  database.onclose = () => {
    isClosed = true;
  };
  /** Runs one request as a durable transaction; throws `JOURNAL_CLOSED`, or the runtime's own error if it fails. */
  return async <T>(mode: IDBTransactionMode, request: MakeRequest<T>): Promise<T> => {
    try {
      return await runTransaction(database, mode, request);
    } catch (error) {
      // It is never opened again: by now it may be a new one, with another key.
      throw isClosed ? journalClosed(name, error) : error;
    }
  };
}

function requestDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // A runtime without IndexedDB has no such name, and some private windows have it without a value.
    if (!globalThis.indexedDB) throw unsupported("a journal, because this page has no IndexedDB");
    const opening = indexedDB.open(name, VERSION);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

function runTransaction<T>(database: IDBDatabase, mode: IDBTransactionMode, makeRequest: MakeRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode, { durability: "strict" });
    const request = makeRequest(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? request.error ?? new Error("the transaction was aborted"));
  });
}
