import { toNodeName } from "keeplight/parts";
import type { BulkFile } from "./types.ts";

/** The most files of a batch. */
const MAX_FILES = 1_000;

/** The most bytes of a batch; a larger file has a batch of its own. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The most bytes of paths, with one link each: below the size at which a folder is split into several blocks. */
const MAX_PATH_BYTES = 240 * 1024;
const LINK_BYTES = 36;

/**
 * Groups files into batches, in their order. Which batch a file is in depends only on the files before it. No batch has two
 * files that the upload node would take for one.
 */
export async function* splitBatches(files: AsyncIterable<BulkFile>, encrypted: boolean): AsyncGenerator<BulkFile[]> {
  let batch: BulkFile[] = [];
  let names = new Set<string>();
  let bytes = 0;
  let pathBytes = 0;
  for await (const file of files) {
    // Encrypted files have no folders.
    const name = toNodeName(encrypted ? file.path.replaceAll("/", "-") : file.path);
    const pathSize = utf8.encode(file.path).length + LINK_BYTES;
    const isFull = batch.length === MAX_FILES || bytes + file.size > MAX_BYTES || pathBytes + pathSize > MAX_PATH_BYTES;
    if (batch.length > 0 && (isFull || names.has(name))) {
      yield batch;
      batch = [];
      names = new Set();
      bytes = 0;
      pathBytes = 0;
    }
    batch.push(file);
    names.add(name);
    bytes += file.size;
    pathBytes += pathSize;
  }
  if (batch.length > 0) yield batch;
}

const utf8 = new TextEncoder();
