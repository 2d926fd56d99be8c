/** What is uploaded at once: a file, or the files of a folder. */
export type DroppedSource = File | File[];

/** What was dropped. */
interface Dropped {
  sources: DroppedSource[];
  /** Names of folders without a file. */
  empty: string[];
  /** Names of files, and of folders that have some, which the browser cannot read. */
  unreadable: string[];
}

/** Reads dropped files and folders; a file's path is its `webkitRelativePath`, as the kit expects. */
export async function readDroppedSources(transfer: DataTransfer): Promise<Dropped> {
  // The entries are lost when the event handler returns, so they are taken before the first `await`.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return { sources: Array.from(transfer.files), empty: [], unreadable: [] };
  const read = await Promise.all(
    entries.map(async (entry) => ({ entry, files: await readEntry(entry).catch(() => undefined) })),
  );
  const lists = read.flatMap(({ entry, files }) => (files ? [{ entry, files }] : []));
  // Two folders may have the same name: each is one of its own.
  const sources = lists.flatMap(({ entry, files }): DroppedSource[] =>
    entry.isDirectory && files.length > 0 ? [files] : files,
  );
  return {
    sources,
    empty: lists.filter(({ files }) => files.length === 0).map(({ entry }) => entry.name),
    unreadable: read.filter(({ files }) => files === undefined).map(({ entry }) => entry.name),
  };
}

/** Returns one source per upload of picked files: each folder is one, and each file that is in none. */
export function toSources(files: readonly File[]): DroppedSource[] {
  const folders = new Map<string, File[]>();
  const sources: DroppedSource[] = [];
  for (const file of files) {
    const [folder, ...below] = file.webkitRelativePath.split("/");
    if (!folder || below.length === 0) {
      sources.push(file);
      continue;
    }
    const known = folders.get(folder);
    if (known) known.push(file);
    else {
      const list = [file];
      folders.set(folder, list);
      sources.push(list);
    }
  }
  return sources;
}

/** How long sizes are read at a time, in milliseconds: the page responds in between. */
const STEP_MS = 20;

/** Returns the size of all files, in bytes. A browser reads the size of each from the disk while the page waits. */
export async function sumSizes(files: readonly File[]): Promise<number> {
  let sum = 0;
  let startedAt = performance.now();
  for (const { size } of files) {
    sum += size;
    if (performance.now() - startedAt < STEP_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    startedAt = performance.now();
  }
  return sum;
}

async function readEntry(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const path = entry.fullPath.replace(/^\//, "");
    if (path !== file.name) Object.defineProperty(file, "webkitRelativePath", { value: path });
    return [file];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // A reader returns up to a hundred entries at a time, and none at its end.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return files;
    for (const child of batch) files.push(...(await readEntry(child)));
  }
}
