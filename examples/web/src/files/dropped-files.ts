/** Reads dropped files and folders; a file's path is its `webkitRelativePath`, as the kit expects. */
export async function readDroppedFiles(transfer: DataTransfer): Promise<File[]> {
  // The entries are lost when the event handler returns, so they are taken before the first `await`.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return Array.from(transfer.files);
  const lists = await Promise.all(entries.map((entry) => readEntry(entry)));
  return lists.flat();
}

/** Returns one source per upload: a folder is one source if `keepFolders`, otherwise each file is. */
export function toSources(files: readonly File[], keepFolders: boolean): (File | File[])[] {
  if (!keepFolders) return [...files];
  const folders = new Map<string, File[]>();
  const sources: (File | File[])[] = [];
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
