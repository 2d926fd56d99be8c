/** A file, and by what it can be read again after a reload, if the browser has that. */
export interface PickedFile {
  file: File;
  handle?: FileSystemFileHandle | undefined;
}

/** Chromium's part of the File System Access API, which TypeScript's library lacks. */
interface Picker {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>;
}

/** Whether files can be picked by {@link pickFiles}; otherwise an `<input>` asks for them. */
export function canPickFiles(): boolean {
  return (window as Picker).showOpenFilePicker !== undefined;
}

/** Asks for files with handles; none if the user closes the dialog. `unreadable` are names of files that cannot be read. */
export async function pickFiles(): Promise<{ picked: PickedFile[]; unreadable: string[] }> {
  const handles = await askForHandles();
  const read = await Promise.all(
    handles.map(async (handle) => ({ handle, file: await handle.getFile().catch(() => undefined) })),
  );
  return {
    picked: read.flatMap(({ handle, file }) => (file ? [{ file, handle }] : [])),
    unreadable: read.filter(({ file }) => file === undefined).map(({ handle }) => handle.name),
  };
}

async function askForHandles(): Promise<FileSystemFileHandle[]> {
  try {
    return (await (window as Picker).showOpenFilePicker?.({ multiple: true })) ?? [];
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return [];
    throw error;
  }
}

/** Chromium's part of drag and drop, which TypeScript's library lacks. */
interface DroppedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** Returns the handles of dropped files, by their names and sizes. Call it before the event handler returns. */
export async function readDroppedHandles(items: DataTransferItemList): Promise<Map<string, FileSystemFileHandle>> {
  // The items are lost when the event handler returns.
  const pending = Array.from(items, (item: DroppedItem) => item.getAsFileSystemHandle?.().catch(() => null));
  const handles = new Map<string, FileSystemFileHandle>();
  for (const handle of await Promise.all(pending)) {
    if (handle?.kind === "file") handles.set(handle.name, handle as FileSystemFileHandle);
  }
  return handles;
}
