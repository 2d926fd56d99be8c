import { createReadStream } from "node:fs";
import type { ContentStore } from "./store.ts";

const READ_BYTES = 256 * 1024;

/**
 * Yields the bytes of a file, or of all files in a folder in the order of their names.
 *
 * @throws once `signal` is aborted.
 */
export async function* readContent(store: ContentStore, key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await store.file(key);
  if (file) yield* createReadStream(file.path, { highWaterMark: READ_BYTES, signal }) as AsyncIterable<Uint8Array>;
  const folder = file ? undefined : await store.folder(key);
  for (const name of Object.keys(folder ?? {}).sort()) yield* readContent(store, folder?.[name] ?? "", signal);
}
