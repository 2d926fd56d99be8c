import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ChunkStream, isKeeplightError, KeeplightError } from "keeplight";
import {
  invalidSource,
  listSourceFiles,
  mapInOrder,
  type SourceFile,
  sourceChanged,
  sourceUnreadable,
  throwIfAborted,
} from "keeplight/parts";
import type { LedgerRow } from "../ledger/ledger.ts";
import { isOutage, toSourceError } from "../outages.ts";
import type { BulkOrigin } from "../plan/plan.ts";
import { toRunError } from "./classify-error.ts";
import { createReadAhead } from "./read-ahead.ts";

const STATS_AT_ONCE = 64;

type Store = Extract<BulkOrigin, { open: unknown }>;

/** A file of a batch, as it is sent. */
export interface BatchFile extends SourceFile {
  row: LedgerRow;
}

/** A file of a batch that cannot be sent, and why. */
export interface BadFile {
  row: LedgerRow;
  error: KeeplightError;
}

/**
 * Finds the files of rows where the plan has seen them. Those that are gone, or have changed since, are `bad`.
 *
 * @param folder - that contains them, as they are sent
 * @throws `ABORTED`; `SOURCE_UNREADABLE` if nothing of the source is there, such as where it is not mounted
 */
export async function findBatchFiles(
  rows: readonly LedgerRow[],
  source: BulkOrigin,
  folder: string,
  signal: AbortSignal,
): Promise<{ files: BatchFile[]; bad: BadFile[] }> {
  const files: BatchFile[] = [];
  const bad: BadFile[] = [];

  const find = "open" in source ? createStreams(rows, source) : (row: LedgerRow) => findFile(row, source.root, signal);

  async function tryToFind(row: LedgerRow): Promise<BadFile | { row: LedgerRow; file: SourceFile }> {
    try {
      return { row, file: await find(row) };
    } catch (error) {
      if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
      return { row, error };
    }
  }

  for await (const found of mapInOrder(rows, { limit: STATS_AT_ONCE, signal }, tryToFind)) {
    const { row } = found;
    if ("error" in found) bad.push(found);
    else
      files.push({
        ...found.file,
        open: openNamed(found.file, row, source),
        name: `${folder}/${row.path}`,
        folder,
        row,
      });
  }
  if (files.length === 0 && "root" in source) await checkRoot(source.root);
  return { files, bad };
}

/** Throws `SOURCE_UNREADABLE`, an error of the run, for a folder that is not there or has nothing in it. */
async function checkRoot(root: string): Promise<void> {
  const names = await readdir(root).catch((error: unknown) => {
    throw toRunError(sourceUnreadable(root, error));
  });
  if (names.length === 0) throw toRunError(sourceUnreadable(root, new Error("The folder is empty")));
}

async function findFile(row: LedgerRow, root: string, signal: AbortSignal): Promise<SourceFile> {
  const [file, other] = await listSourceFiles(join(root, row.path), { name: undefined, signal });
  if (!file?.facts || other) throw invalidSource(`${row.path} is no longer a file`, { name: row.path });
  const { size, mtimeNs } = file.facts;
  const isSame = size === row.size && (row.mtime === undefined || BigInt(mtimeNs) / 1_000_000n === BigInt(row.mtime));
  if (!isSame) throw sourceChanged(row.path, row.size, size);
  return file;
}

/** Creates what returns the files of a store: each is opened when it is read, every time again. */
function createStreams(rows: readonly LedgerRow[], store: Store): (row: LedgerRow) => SourceFile {
  const read = createReadAhead(rows, async function* (row, signal) {
    const { path: name, size } = row;
    const stream = await openInStore(row, store, signal);
    const [file] = await listSourceFiles({ name, size, stream }, { name: undefined, signal });
    if (file) yield* file.open(signal);
  });
  return (row) => ({ name: row.path, size: row.size, open: (signal) => read(row, signal) });
}

/** Opens a file. What that throws is an error of the file, as what reading it throws is. */
async function openInStore(row: LedgerRow, store: Store, signal: AbortSignal): Promise<ChunkStream> {
  try {
    return await store.open(row, signal);
  } catch (error) {
    throwIfAborted(signal);
    throw isKeeplightError(error) ? error : sourceUnreadable(row.path, error);
  }
}

/**
 * Opens a file by its path in the errors of reading it: base names may be the same. If the plan has its SHA-256, one with another
 * ends in `SOURCE_CHANGED`, so that it is not stored.
 */
function openNamed(file: SourceFile, row: LedgerRow, source: BulkOrigin): SourceFile["open"] {
  return async function* open(signal, reuse) {
    try {
      yield* checkSha256(file.open(signal, reuse), row);
    } catch (error) {
      if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
      if (isOfPlace(error, source)) throw toRunError(error);
      const { code, message, details, cause } = error;
      const named = new KeeplightError(code, message, { details: { ...details, name: row.path }, cause });
      throw isOutage(named) ? toSourceError(named) : named;
    }
  };
}

/** Whether an error says that nothing of a store can be read. */
function isOfPlace(error: KeeplightError, source: BulkOrigin): boolean {
  if (!("open" in source) || source.place === undefined) return false;
  return isKeeplightError(error, "SOURCE_UNREADABLE") && error.details.name === source.place;
}

/** Passes the bytes of a file on; throws `SOURCE_CHANGED` at their end if it is expected to have another SHA-256. */
async function* checkSha256(
  chunks: AsyncIterable<Uint8Array>,
  { path, size, sha256 }: Pick<LedgerRow, "path" | "size" | "sha256">,
): AsyncGenerator<Uint8Array> {
  if (sha256 === undefined) return yield* chunks;
  const hash = createHash("sha256");
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== sha256) throw sourceChanged(path, size, size);
}
