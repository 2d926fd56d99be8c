import type { LedgerRow } from "../ledger/ledger.ts";

/** How many files are requested before their turn: a store takes much longer to respond than to send a small file. */
const FILES_AHEAD = 8;

/** The largest file that is read before its turn, in bytes. */
const MAX_BYTES = 256 * 1024;

type Read = (row: LedgerRow, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/**
 * Creates what reads files of a store that are read one after the other, in their order: the next small ones are read meanwhile.
 *
 * @param rows - the files, in the order in which they will be read
 */
export function createReadAhead(rows: readonly LedgerRow[], read: Read): Read {
  /** For each pass over the files, which has a signal of its own, what was read before its turn. */
  const passes = new WeakMap<AbortSignal, Map<LedgerRow, Promise<Uint8Array[]>>>();
  const places = new Map(rows.map((row, at) => [row, at]));

  return async function* (row, signal) {
    const ahead = passes.get(signal) ?? new Map<LedgerRow, Promise<Uint8Array[]>>();
    passes.set(signal, ahead);
    const own = ahead.get(row);
    ahead.delete(row);
    const at = places.get(row) ?? rows.length;
    for (const next of rows.slice(at + 1, at + 1 + FILES_AHEAD)) {
      if (next.size > MAX_BYTES || ahead.has(next)) continue;
      const reading = readWhole(read(next, signal));
      // It fails in its turn, if that comes.
      reading.catch(() => undefined);
      ahead.set(next, reading);
    }
    yield* own ? await own : read(row, signal);
  };
}

async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts;
}
