import { createFileCipher, sourceChanged } from "keeplight/parts";
import { fromHex, getFileState, type OpenUpload, toHex } from "./entry.ts";

/**
 * Reads a file from its start, as it is sent: encrypted, if it has a key, to the same bytes each time. Each chunk has memory of its
 * own; the next one is prepared while one is used.
 *
 * @throws `SOURCE_UNREADABLE`, `SOURCE_CHANGED`
 */
export async function* readChunks(upload: OpenUpload, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { source, entry } = upload;
  const { nonces } = entry.state;
  const plain = source.open(signal, true);
  const sent = nonces
    ? createFileCipher(getFileState(entry).masterKey).encrypt(plain, fromHex(nonces.salt), fromHex(nonces.iv))
    : plain;
  yield* readAhead(regroup(sent, upload));
}

/** Copies bytes into chunks of one size, each in memory of its own; of an empty file, there is one. */
async function* regroup(
  bytes: AsyncIterable<Uint8Array>,
  { file, size, entry }: OpenUpload,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { chunkBytes } = entry.state;
  let chunk = new Uint8Array(Math.min(chunkBytes, size));
  let start = 0;
  let filled = 0;
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; ) {
      if (start + filled === size) throw sourceChanged(file.name, size, size + piece.length - at);
      if (filled === chunk.length) {
        yield chunk;
        start += filled;
        filled = 0;
        chunk = new Uint8Array(Math.min(chunkBytes, size - start));
      }
      const part = piece.subarray(at, at + chunk.length - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  if (start + filled < size) throw sourceChanged(file.name, size, start + filled);
  yield chunk;
}

/** Requests the item after the one that is yielded. */
async function* readAhead<Item>(items: AsyncGenerator<Item, void>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // Whoever awaits it throws its error; after an early end nobody does.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await items.return();
  }
}

/** Returns SHA-256 in hex digits. */
export async function digestChunk(chunk: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", chunk)));
}
