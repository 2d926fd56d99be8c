/** What this browser keeps of an account beside its journal. */
const kinds = ["files", "shared", "sharing", "labels", "thumbnails"] as const;

/**
 * Names the database of one kind.
 *
 * @param place - name of the account's journal, which is random: the names say nothing of the account
 */
export function nameDatabase(kind: (typeof kinds)[number], place: string): string {
  return `keeplight ${kind} ${place}`;
}

/** Deletes all of them. */
export async function deleteDatabases(place: string): Promise<void> {
  const names = kinds.map((kind) => nameDatabase(kind, place));
  // Whoever writes one has its lock: it is not created again.
  await Promise.all(names.map((name) => navigator.locks.request(name, () => deleteDatabase(name))));
}

/** Deletes those of accounts whose journal is gone, such as when the page was closed, or failed, while it removed them. */
export async function deleteOrphans(): Promise<void> {
  const databases = (await indexedDB.databases?.()) ?? [];
  const names = new Set(databases.flatMap(({ name }) => name ?? []));
  const places = [...names].flatMap((name) => kinds.flatMap((kind) => readPlace(name, nameDatabase(kind, ""))));
  const gone = new Set(places.filter((place) => !names.has(place)));
  await Promise.all([...gone].map(deleteDatabases));
}

const readPlace = (name: string, prefix: string) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []);

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name);
    deleting.onsuccess = () => resolve();
    // It is deleted once the page that still has it open lets go of it.
    deleting.onblocked = () => resolve();
    deleting.onerror = () => reject(deleting.error);
  });
}
