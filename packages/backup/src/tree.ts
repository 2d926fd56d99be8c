import { sourceUnreadable } from "keeplight/parts";
import type { ChunkReader } from "./chunk-reader.ts";
import type { ChunkWriter } from "./chunk-writer.ts";
import { cutChunks, TREE_SIZES } from "./chunker.ts";
import { checkOrder, type Entry, parseEntry } from "./entries.ts";
import { invalidBackup } from "./invalid-backup.ts";
import { parseLines } from "./lines.ts";
import type { Repository } from "./repository.ts";
import type { SnapshotContent } from "./snapshot.ts";

// The entries of a snapshot: JSON lines in the order of paths, cut into chunks like a file.

/** The longest line, in bytes: a file has 46 for each of its chunks, so that it may have some TiB. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Stores entries; returns the ids of the chunks they consist of. */
export async function storeTree(entries: AsyncIterable<Entry>, { keys }: Repository, writer: ChunkWriter) {
  const ids: string[] = [];
  for await (const chunk of cutChunks(toBytes(entries), TREE_SIZES, keys.gear)) ids.push(await writer.add(chunk));
  return ids;
}

const COLLECTED = 64 * 1024;

async function* toBytes(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  let text = "";
  for await (const entry of entries) {
    const line = `${JSON.stringify(entry)}\n`;
    // No reader would take it.
    if (line.length > MAX_LINE_BYTES) throw sourceUnreadable(entry.path, new RangeError("it has too many chunks"));
    text += line;
    if (text.length < COLLECTED) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

/** Yields the entries of a snapshot, checked: in the order of paths, with nothing below anything but a folder. */
export async function* listTree(cid: string, { tree }: SnapshotContent, reader: ChunkReader): AsyncGenerator<Entry> {
  async function* readChunks() {
    for (const id of tree) yield await reader.read(id, cid);
  }
  let last: Entry | undefined;
  const named = new Set<string>();
  try {
    for await (const line of parseLines(readChunks(), MAX_LINE_BYTES)) {
      const entry = parseEntry(cid, line);
      if (last) checkOrder(cid, last, entry);
      if (entry.kind === "file" && entry.hasNames) named.add(entry.path);
      if (entry.kind === "name" && !named.has(entry.of))
        throw invalidBackup(cid, "a name is that of no file before it");
      yield entry;
      last = entry;
    }
  } catch (error) {
    throw error instanceof SyntaxError ? invalidBackup(cid, "its list of entries is malformed") : error;
  }
}
