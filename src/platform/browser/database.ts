import { unsupported } from "../../base/errors/input.ts";
import { journalClosed, journalDamaged } from "../../base/errors/journal.ts";

const VERSION = 1;
const STORE = "journal";

/** An open database of records by string keys. */
export interface Database {
  /**
   * Runs one request as a transaction, which survives a power cut once this resolves.
   *
   * @throws `JOURNAL_CLOSED`; the runtime's own error if the transaction fails
   */
  run<T>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest<T>): Promise<T>;
}

/** Errors of a page that has no database: its site is opaque, or its window is private. */
const NO_DATABASE = new Set(["SecurityError", "InvalidStateError", "NotSupportedError"]);

/**
 * Opens a database; creates it if there is none.
 *
 * @throws `UNSUPPORTED` if this page can have none; `JOURNAL_DAMAGED` if the name is another's, or of a later version;
 * the runtime's own error
 */
export async function openDatabase(name: string): Promise<Database> {
  const database = await requestDatabase(name).catch((error: unknown) => {
    const reason = error instanceof DOMException ? error.name : "";
    if (NO_DATABASE.has(reason)) throw unsupported("a journal, because this page may not use IndexedDB");
    if (reason === "VersionError")
      throw journalDamaged(`${name}, or written by a later version of this package`, error);
    throw error;
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
  return {
    async run(mode, request) {
      try {
        return await runTransaction(database, mode, request);
      } catch (error) {
        // It is never opened again: by now it may be a new one, with another key.
        throw isClosed ? journalClosed(name, error) : error;
      }
    },
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

function runTransaction<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  makeRequest: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode, { durability: "strict" });
    const request = makeRequest(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? request.error ?? new Error("the transaction was aborted"));
  });
}
