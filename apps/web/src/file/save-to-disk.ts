/** A file on disk that a person chose. Not all browsers can remove it again. */
interface ChosenFile extends FileSystemFileHandle {
  remove?(): Promise<void>;
}

type PickFile = (options: { suggestedName: string }) => Promise<ChosenFile>;

/** Returns the browser's dialog for the place of a new file; `undefined` where there is none. */
export function getSavePicker(): PickFile | undefined {
  const { showSaveFilePicker } = window as { showSaveFilePicker?: PickFile };
  return showSaveFilePicker?.bind(window);
}

/** Writes a stream to a chosen file, which is removed if that fails or is aborted. */
export async function saveToDisk(
  file: ChosenFile,
  open: () => Promise<ReadableStream<Uint8Array>>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const writable = await file.createWritable();
    const stream = await open().catch(async (error) => {
      await writable.abort().catch(() => undefined);
      throw error;
    });
    // Discards what was written if it fails.
    await stream.pipeTo(writable as WritableStream<Uint8Array>, { signal });
  } catch (error) {
    // The dialog has created the file already.
    await file.remove?.().catch(() => undefined);
    throw error;
  }
}

/** Saves an object URL by the browser's downloads. */
export function saveUrl(url: string, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
