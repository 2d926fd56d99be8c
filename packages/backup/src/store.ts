import { type ChunkStream, isKeeplightError, KeeplightError } from "keeplight";
import { invalidSource, sourceChanged, sourceUnreadable, throwIfAborted } from "keeplight/parts";
import { isPath, isWhole } from "./entries.ts";
import { FURTHEST_MS } from "./file-facts.ts";
import { type Patience, withPatience } from "./patience.ts";

/** A file of a {@link BackupStore}. */
export interface StoreFile {
  /** Below the store, with `/` between folders. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** When it was changed, in milliseconds since 1970, if known. */
  mtime?: number;
  /** Changes whenever its bytes do, if there is such a mark: without it, size and time say whether the file has changed. */
  etag?: string;
}

/** Files elsewhere, such as in a bucket: what `s3Source` of `@keeplight/s3` returns, or an adapter of your own. */
export interface BackupStore {
  /** Identifies the store in the state, and in snapshots. */
  readonly place: string;
  /**
   * Lists all files, always in the same order.
   *
   * @param after - path of the last file that is known already: the list continues behind it. Default from the start
   * @param onSkipped - receives what cannot be read. Default none: it ends the list with an error
   * @param signal - ends the list. Default none
   * @throws `NETWORK`, `TIMEOUT`, or `HTTP_STATUS` 429 or from 500 on, while the store is down: it is waited for
   */
  list(
    after?: string,
    onSkipped?: (skipped: { path: string; code: string }) => void,
    signal?: AbortSignal,
  ): AsyncIterable<StoreFile>;
  /**
   * Returns the bytes of a file, from the start each time. Anything that it throws is about the file, but for these errors of the
   * kit.
   *
   * @throws as `list`, while the store is down; `SOURCE_UNREADABLE` whose `details.name` is `place` if no file can be read
   */
  open(file: StoreFile, signal: AbortSignal): ChunkStream | Promise<ChunkStream>;
}

/** Throws `INVALID_SOURCE` for anything that is no store. */
export function checkStore(store: unknown): BackupStore {
  const { place, list, open } = Object(store) as Record<string, unknown>;
  const isStore = typeof place === "string" && place !== "" && typeof list === "function" && typeof open === "function";
  if (!isStore) throw invalidSource("expected the path of a folder, or { place, list, open }");
  return store as BackupStore;
}

/** Checks a file of a listing, which comes from outside. Throws `INVALID_SOURCE`. */
export function checkStoreFile(value: unknown): StoreFile {
  const { path, size, mtime, etag } = Object(value) as Record<string, unknown>;
  if (!isPath(path)) throw invalidSource("a path of the listing leads out of the store, or is malformed");
  if (!isWhole(size)) throw invalidSource(`the size of ${path} is no whole number of bytes`, { name: path });
  const isTime = mtime === undefined || (Number.isSafeInteger(mtime) && Math.abs(Number(mtime)) <= FURTHEST_MS);
  if (!isTime) throw invalidSource(`the mtime of ${path} is no time in milliseconds`, { name: path });
  if (etag !== undefined && typeof etag !== "string") throw invalidSource(`the etag of ${path} is no string`);
  return {
    path,
    size,
    ...(mtime === undefined ? {} : { mtime: Number(mtime) }),
    ...(etag === undefined ? {} : { etag }),
  };
}

/**
 * Yields the bytes of a file. A store that is down is waited for, and the file continued where it was.
 *
 * @throws `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, which name the file or the store; `ABORTED`; what it was waited for in vain
 */
export async function* readStoreFile(
  store: BackupStore,
  file: StoreFile,
  signal: AbortSignal,
  onError: Patience["onError"],
): AsyncGenerator<Uint8Array> {
  let at = 0;
  let parts: AsyncGenerator<Uint8Array> | undefined;

  async function readNext() {
    parts ??= openAt(store, file, at, signal);
    try {
      return await parts.next();
    } catch (error) {
      parts = undefined;
      throw error;
    }
  }

  try {
    for (;;) {
      const { done, value } = await withPatience(readNext, { signal, onError });
      if (done) break;
      at += value.length;
      if (at > file.size) throw sourceChanged(file.path, file.size, at);
      yield value;
    }
    if (at < file.size) throw sourceChanged(file.path, file.size, at);
  } finally {
    void parts?.return(undefined).catch(() => undefined);
  }
}

/** Opens a file, and yields its bytes behind the first ones. */
async function* openAt(
  store: BackupStore,
  file: StoreFile,
  start: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  try {
    for await (const part of await store.open(file, signal)) {
      const behind = part.subarray(Math.max(0, start - at));
      at += part.length;
      if (behind.length > 0) yield behind;
    }
  } catch (error) {
    throwIfAborted(signal);
    throw toFileError(error, store, file.path);
  }
}

/** Returns an error that names the file that it is about, unless it is about the whole store. */
function toFileError(error: unknown, { place }: BackupStore, path: string): unknown {
  if (!isKeeplightError(error)) return sourceUnreadable(path, error);
  const isOfFile = isKeeplightError(error, "SOURCE_UNREADABLE") || isKeeplightError(error, "SOURCE_CHANGED");
  if (!isOfFile || error.details.name === place) return error;
  const { code, message, details, cause } = error;
  return new KeeplightError(code, message, { details: { ...details, name: path }, cause });
}
