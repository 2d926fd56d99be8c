import { nameDatabase } from "../session/account-databases.ts";
import { listDatabaseNames, settle, settleTransaction } from "../shared/database.ts";
import { deriveThumbnailKeys, type Sealed } from "./thumbnail-keys.ts";

/** The thumbnails that this browser keeps for an account until its session ends. */
export interface KeptThumbnails {
  read(cid: string): Promise<Blob | undefined>;
  write(cid: string, thumbnail: Blob): Promise<void>;
  close(): void;
}

/** A sealed thumbnail, and when it was last shown, in milliseconds since 1970. */
interface Kept extends Sealed {
  usedAt: number;
}

const STORE = "thumbnails";
const BY_USE = "usedAt";
/** Whose thumbnails there are: those of an earlier session cannot be opened any more. */
const OWNER = "owner";
/** Of 10 KiB at most each: 20 MiB. */
const MAX_COUNT = 2_000;
/** How exactly it is known when one was last shown, in milliseconds: each change is written. */
const USE_MS = 60 * 60 * 1_000;

/**
 * Opens the thumbnails of a session, in a database of this site: sealed, and under names from which nobody learns a content
 * id. The least recently shown are dropped. Nothing is stored before the first is written.
 *
 * @param place - name of the account's journal
 */
export function openKeptThumbnails(apiKey: string, place: string): KeptThumbnails {
  const name = nameDatabase("thumbnails", place);
  const keys = deriveThumbnailKeys(apiKey, place);
  let opened: IDBDatabase | undefined;
  let isClosed = false;

  /** Opens it if there is a database called `required`. The caller has its lock, as the code that deletes it has. */
  async function open(required: string): Promise<IDBDatabase | undefined> {
    if (isClosed || opened || !(await listDatabaseNames()).has(required)) return opened;
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE).createIndex(BY_USE, BY_USE);
    const database = await settle(opening);
    if (isClosed) database.close();
    else opened = database;
    // Signing out, in any tab, deletes it.
    database.onversionchange = close;
    return opened;
  }

  function close(): void {
    isClosed = true;
    opened?.close();
    opened = undefined;
  }

  return {
    async read(cid) {
      // Opening it would create it.
      const database = opened ?? (await navigator.locks.request(name, () => open(name)));
      if (!database) return undefined;
      const { nameOf, unseal } = await keys;
      const id = await nameOf(cid);
      const kept = await settle<Kept | undefined>(database.transaction(STORE).objectStore(STORE).get(id));
      if (!kept) return undefined;
      const thumbnail = new Blob([await unseal(kept, `${name} ${id}`)]);
      const isStale = Date.now() - kept.usedAt > USE_MS;
      if (isStale) {
        const changed: Kept = { ...kept, usedAt: Date.now() };
        await settle(database.transaction(STORE, "readwrite").objectStore(STORE).put(changed, id));
      }
      return thumbnail;
    },

    async write(cid, thumbnail) {
      const { nameOf, seal } = await keys;
      const [id, owner] = await Promise.all([nameOf(cid), nameOf("")]);
      const sealed = await seal(await thumbnail.arrayBuffer(), `${name} ${id}`);
      await navigator.locks.request(name, async () => {
        // Once the journal is deleted, so is this: it is not created again.
        const transaction = (await open(place))?.transaction(STORE, "readwrite");
        if (!transaction) return;
        const ended = settleTransaction(transaction);
        // If it fails, so does a request of it, which is awaited first.
        ended.catch(() => undefined);
        const store = transaction.objectStore(STORE);
        if ((await settle(store.get(OWNER))) !== owner) store.clear();
        store.put(owner, OWNER);
        store.put({ ...sealed, usedAt: Date.now() } satisfies Kept, id);
        const index = store.index(BY_USE);
        const excess = (await settle(index.count())) - MAX_COUNT;
        const oldest = excess > 0 ? await settle(index.getAllKeys(null, excess)) : [];
        for (const each of oldest) store.delete(each);
        await ended;
      });
    },

    close,
  };
}
