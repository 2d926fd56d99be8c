import { takeWebLock } from "./web-lock.ts";

const PREFIX = "keeplight-";
let pageFolder: Promise<FileSystemDirectoryHandle> | undefined;

/**
 * Opens the folder of this page's files in the origin private file system. A page cannot clean up at its end, so each
 * holds a lock by its folder's name while it exists, and the next page removes the folders without a lock.
 */
export function openPageFolder(): Promise<FileSystemDirectoryHandle> {
  pageFolder ??= (async () => {
    const root = await navigator.storage.getDirectory();
    const name = `${PREFIX}${crypto.randomUUID()}`;
    await takeWebLock(name);
    return root.getDirectoryHandle(name, { create: true });
  })();
  return pageFolder;
}

async function removeLeftBehind(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const folders: string[] = [];
  for await (const name of root.keys()) if (name.startsWith(PREFIX)) folders.push(name);
  if (folders.length === 0) return;
  // Queried after the listing: a page locks a name before it creates the folder.
  const { held = [] } = await navigator.locks.query();
  const inUse = new Set(held.map(({ name }) => name));
  const abandoned = folders.filter((name) => !inUse.has(name));
  await Promise.allSettled(abandoned.map((name) => root.removeEntry(name, { recursive: true })));
}

// Runs when a page loads this module. Runtimes without that file system have nothing to remove.
removeLeftBehind().catch(() => undefined);
