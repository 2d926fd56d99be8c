/** A file that a page can show. */
export interface ShownFile {
  /** Of the stored file. */
  cid: string;
  /** Kept outside the heap where it is large. */
  blob: Blob;
  /** Object URL of `blob`, valid until the next file, `reset()`, another kit, or the end of the component. */
  url: string;
}

/** Makes a file showable; `type` is the MIME type to give it. */
export function showFile(cid: string, bytes: Blob, type: string | undefined): ShownFile {
  const blob = type === undefined ? bytes : bytes.slice(0, bytes.size, type);
  return { cid, blob, url: URL.createObjectURL(blob) };
}

/** Lets go of a file that is not shown any more. */
export function revokeUrl({ url }: ShownFile): void {
  URL.revokeObjectURL(url);
}
