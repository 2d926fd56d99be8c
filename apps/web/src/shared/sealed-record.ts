import { listDatabaseNames, settle, settleTransaction } from "./database.ts";

const STORE = "sealed";
const KEY = "key";
const RECORD = "record";
const IV_BYTES = 12;

/** A value in a database of this site, encrypted by a key that pages can use, but not read. */
export interface SealedRecord {
  /** Returns `undefined` if nothing was written yet. Throws if what is there was changed. */
  read(): Promise<unknown>;
  write(value: unknown): Promise<void>;
}

/** What is stored. */
interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

/** Opens a record by the name of its database, which authenticates it: it cannot be moved to another account. */
export function openSealedRecord(name: string): SealedRecord {
  const additionalData = new TextEncoder().encode(name);

  return {
    async read() {
      // Opening it would create it.
      if (!(await listDatabaseNames()).has(name)) return undefined;
      return withDatabase(name, async (run) => {
        const [key, sealed] = [
          await run<CryptoKey | undefined>("readonly", (store) => store.get(KEY)),
          await run<Sealed | undefined>("readonly", (store) => store.get(RECORD)),
        ];
        if (!key || !sealed) return undefined;
        const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: sealed.iv, additionalData }, key, sealed.data);
        return JSON.parse(new TextDecoder().decode(plain));
      });
    },
    write: (value) =>
      withDatabase(name, async (run) => {
        const key = (await run<CryptoKey | undefined>("readonly", (store) => store.get(KEY))) ?? (await createKey());
        const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
        const plain = new TextEncoder().encode(JSON.stringify(value));
        const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain);
        await run("readwrite", (store) => {
          store.put(key, KEY);
          return store.put({ iv, data } satisfies Sealed, RECORD);
        });
      }),
  };
}

function createKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

type Run = <T>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest) => Promise<T>;

/** Opens the database for `work`, and closes it. */
async function withDatabase<T>(name: string, work: (run: Run) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await settle(opening);
  try {
    return await work(async (mode, request) => {
      const transaction = database.transaction(STORE, mode);
      const ended = settleTransaction(transaction);
      const [value] = await Promise.all([settle(request(transaction.objectStore(STORE))), ended]);
      return value as never;
    });
  } finally {
    database.close();
  }
}
