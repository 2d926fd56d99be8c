/** A journal in a page as the runtime sees it. */

/** Opens a database as any other code of the site may. */
export function openRaw(name: string, version?: number, store?: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => store !== undefined && opening.result.createObjectStore(store);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error("blocked"));
  });
}

/** Deletes a database; rejects if something that is open blocks that. */
export function deleteRaw(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name);
    deleting.onsuccess = () => resolve();
    deleting.onerror = () => reject(deleting.error);
    deleting.onblocked = () => reject(new Error("blocked"));
  });
}

/** Reads all records of a journal. */
export async function readRaw(name: string): Promise<Map<string, unknown>> {
  const database = await openRaw(name);
  const store = database.transaction("journal").objectStore("journal");
  const settle = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const [keys, values] = await Promise.all([settle(store.getAllKeys()), settle(store.getAll())]);
  database.close();
  return new Map(keys.map((key, at) => [String(key), values[at]]));
}

/** Lists the locks that pages and workers hold on the entries of a journal. */
export async function listLocks(name: string): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap((lock) => (lock.name?.includes(` ${name} `) ? [lock.name] : []));
}

/** Resolves once nothing holds these locks. */
export async function untilFree(locks: readonly string[]): Promise<void> {
  for (const lock of locks) await navigator.locks.request(lock, () => undefined);
}
