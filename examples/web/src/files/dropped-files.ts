/** Files with the folder they came in, if any, as `webkitRelativePath`, which is how the kit reads it too. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // Entries are gone once the event is over, so they are taken before anything is waited for.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return Array.from(transfer.files);
  const lists = await Promise.all(entries.map((entry) => filesIn(entry)));
  return lists.flat();
}

/** One source per upload: a folder as a whole where it is stored as it is, else every file by itself. */
export function sourcesOf(files: readonly File[], keepFolders: boolean): (File | File[])[] {
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

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const path = entry.fullPath.replace(/^\//, "");
    if (path !== file.name) Object.defineProperty(file, "webkitRelativePath", { value: path });
    return [file];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // A reader gives a hundred at a time, and nothing when it is at its end.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return files;
    for (const child of batch) files.push(...(await filesIn(child)));
  }
}
