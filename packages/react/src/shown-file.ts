/** A file that a page can show. */
export interface ShownFile {
  /** Of the stored file. */
  cid: string;
  /** Kept outside the heap if it is large. */
  blob: Blob;
  /** Object URL of `blob`, valid until the next file, `reset()`, another kit, or unmount. */
  url: string;
}

/** Creates an object URL for a file; `type` is the MIME type of its Blob. */
export function showFile(cid: string, bytes: Blob, type: string | undefined): ShownFile {
  const blob = type === undefined ? bytes : bytes.slice(0, bytes.size, type);
  return { cid, blob, url: URL.createObjectURL(blob) };
}

/** Releases a file that is no longer shown. */
export function revokeUrl({ url }: ShownFile): void {
  URL.revokeObjectURL(url);
}
