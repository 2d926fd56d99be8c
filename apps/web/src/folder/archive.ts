/** One entry of an archive. */
export interface ArchiveEntry {
  /** The names that lead to it. */
  names: readonly string[];
  /** In bytes, as the folder states it. */
  size: number;
  /** Reads a file, verified; missing for an empty folder. A small one is returned whole. */
  open?(signal: AbortSignal): Promise<Uint8Array | ReadableStream<Uint8Array>>;
}

/** Files up to this size, in bytes, are read whole, and while those before them are written. */
export const SMALL_BYTES = 1024 * 1024;
/** How many small files are read at the same time. */
const MAX_READ_AHEAD = 8;

/**
 * Writes entries as a ZIP archive, without compression. Memory does not grow with their size; Zip64 is used for archives
 * and files from 4 GiB on. If a file cannot be read, the stream fails.
 *
 * @param toPath - the path of an entry in the archive
 * @param onProgress - receives the bytes that are written of all files; an error that it throws ends the archive
 */
export async function createArchive(
  entries: readonly ArchiveEntry[],
  toPath: (names: readonly string[]) => string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<ReadableStream<Uint8Array>> {
  const { makeZip } = await import("client-zip");
  let written = 0;

  async function* toInputs() {
    for await (const [entry, content] of openAhead(entries, signal)) {
      const path = toPath(entry.names);
      if (content === undefined) {
        yield { name: `${path}/` };
        continue;
      }
      const input = content instanceof Uint8Array ? [content] : content;
      yield { name: path, input: count(input) };
    }
  }

  async function* count(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      written += chunk.byteLength;
      onProgress(written);
      yield chunk;
    }
  }

  return makeZip(toInputs());
}

/** Opens entries in their order, small ones some time before their turn. */
async function* openAhead(
  entries: readonly ArchiveEntry[],
  signal: AbortSignal,
): AsyncGenerator<readonly [ArchiveEntry, Uint8Array | ReadableStream<Uint8Array> | undefined]> {
  const opening = new Map<ArchiveEntry, Promise<Uint8Array | ReadableStream<Uint8Array>> | undefined>();
  let next = 0;
  for (const entry of entries) {
    for (; next < entries.length && opening.size < MAX_READ_AHEAD; next++) {
      const small = entries[next];
      if (!small) continue;
      const reading = small.size <= SMALL_BYTES ? small.open?.(signal) : undefined;
      // It may fail before its turn.
      reading?.catch(() => undefined);
      opening.set(small, reading);
    }
    const content = await (opening.get(entry) ?? entry.open?.(signal));
    opening.delete(entry);
    yield [entry, content];
  }
}
