const PREFIX = "keeplight-";
let pageFolder: Promise<FileSystemDirectoryHandle> | undefined;

/**
 * The folder of this page's files in the origin private file system. A page that ends cannot tidy up after itself, so
 * each holds a lock by its folder's name for as long as it lives, and the next one removes the folders nobody holds.
 */
export function openPageFolder(): Promise<FileSystemDirectoryHandle> {
  pageFolder ??= (async () => {
    const root = await navigator.storage.getDirectory();
    const name = `${PREFIX}${crypto.randomUUID()}`;
    await new Promise<void>((held, refused) => {
      const holding = navigator.locks.request(name, () => {
        held();
        return new Promise<void>(() => undefined);
      });
      holding.catch(refused);
    });
    return root.getDirectoryHandle(name, { create: true });
  })();
  return pageFolder;
}

async function removeLeftBehind(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const folders: string[] = [];
  for await (const name of root.keys()) if (name.startsWith(PREFIX)) folders.push(name);
  if (folders.length === 0) return;
  // Asked after the listing: whoever has a folder had its lock before.
  const { held = [] } = await navigator.locks.query();
  const inUse = new Set(held.map(({ name }) => name));
  const left = folders.filter((name) => !inUse.has(name));
  await Promise.allSettled(left.map((name) => root.removeEntry(name, { recursive: true })));
}

// As soon as a page loads this: what the one before it left is nobody's any more. Elsewhere there is nothing to remove.
removeLeftBehind().catch(() => undefined);
