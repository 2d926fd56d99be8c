/** Resolves to the result of a request to a database of this site. */
export function settle<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves once all that a transaction has written is stored. */
export function settleTransaction(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Names of the databases of this site: opening one that does not exist would create it. */
export async function listDatabaseNames(): Promise<ReadonlySet<string>> {
  const databases = await indexedDB.databases();
  return new Set(databases.flatMap(({ name }) => name ?? []));
}
