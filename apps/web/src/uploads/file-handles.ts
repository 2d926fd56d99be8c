import { nameDatabase } from "../session/account-databases.ts";
import { listDatabaseNames, settle } from "../shared/database.ts";

/** A file that the browser can read again after a reload, if its user permits it. */
interface KeptHandle {
  handle: FileSystemFileHandle;
  name: string;
  size: number;
  /** Milliseconds since 1970. */
  keptAt: number;
}

/** Chromium's part of the File System Access API, which TypeScript's library lacks. */
interface ReadableHandle extends FileSystemFileHandle {
  queryPermission(options: { mode: "read" }): Promise<PermissionState>;
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
}

const STORE = "handles";

/** After this time a handle is removed, as no tab waits with an upload so long. */
const MAX_AGE_MS = 24 * 60 * 60 * 1_000;

/** Handles of the files that an account uploads, kept in a database of this site until their uploads are complete. */
export interface FileHandles {
  /** Keeps the handles of files that are going to be uploaded. Without effect if the browser cannot. */
  keep(files: readonly { file: File; handle: FileSystemFileHandle }[]): Promise<void>;
  /**
   * Reads the files of these names and sizes again, as far as there are handles and the user permits it. Call it in
   * response to a click: only then may the browser ask.
   */
  read(names: readonly string[], sizes: readonly (number | undefined)[]): Promise<File[]>;
  /**
   * Removes the handles of uploads that are complete, and those that are old, except for files that are still needed.
   * Others may be of another tab, whose files wait to be uploaded.
   */
  prune(names: { complete: ReadonlySet<string>; needed: ReadonlySet<string> }): Promise<void>;
}

/** @param place - name of the account's journal */
export function openFileHandles(place: string): FileHandles {
  const name = nameDatabase("files", place);

  async function run<Result>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest<Result>) {
    const database = await open(name);
    try {
      return await settle(request(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  }

  return {
    async keep(files) {
      if (files.length === 0) return;
      await run("readwrite", (store) => {
        const requests = files.map(({ file: { name, size }, handle }) =>
          store.put({ handle, name, size, keptAt: Date.now() } satisfies KeptHandle, toKey({ name, size })),
        );
        return requests.at(-1) as IDBRequest<IDBValidKey>;
      }).catch(() => undefined);
    },
    async read(names, sizes) {
      const all: KeptHandle[] = await run("readonly", (store) => store.getAll()).catch(() => []);
      const kept = new Map(all.map((each) => [toKey(each), each]));
      const files: File[] = [];
      let mayAsk = true;
      for (const [at, name] of names.entries()) {
        const key = toKey({ name, size: sizes[at] });
        const { handle } = kept.get(key) ?? {};
        // Another file of this name and size is not the same one.
        kept.delete(key);
        if (!handle) continue;
        const isPermitted = await getPermission(handle as ReadableHandle, mayAsk);
        // Who has refused one is not asked for each of the others.
        mayAsk &&= isPermitted;
        // It may have been moved or deleted.
        const found = isPermitted ? await handle.getFile().catch(() => undefined) : undefined;
        if (found) files.push(withName(found, name));
      }
      return files;
    },
    async prune({ complete, needed }) {
      // Without a database there is nothing to remove, and none is to be created.
      const known = await listDatabaseNames().catch(() => undefined);
      if (!known?.has(name)) return;
      const kept: KeptHandle[] = await run("readonly", (store) => store.getAll()).catch(() => []);
      const oldest = Date.now() - MAX_AGE_MS;
      for (const { name: file, size, keptAt } of kept) {
        if (needed.has(file) || !(complete.has(file) || keptAt < oldest)) continue;
        await run("readwrite", (store) => store.delete(toKey({ name: file, size }))).catch(() => undefined);
      }
    },
  };
}

/** A file that was added under another name than it has on the disk is read under that. */
function withName(file: File, name: string): File {
  const { type, lastModified } = file;
  return file.name === name ? file : new File([file], name, { type, lastModified });
}

function toKey({ name, size }: { name: string; size: number | undefined }): string {
  return `${name} ${size}`;
}

async function getPermission(handle: ReadableHandle, mayAsk: boolean): Promise<boolean> {
  if ((await handle.queryPermission({ mode: "read" })) === "granted") return true;
  if (!mayAsk) return false;
  return (await handle.requestPermission({ mode: "read" }).catch(() => "denied")) === "granted";
}

async function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settle(request);
}
