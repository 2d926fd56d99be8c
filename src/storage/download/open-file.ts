import { MAX_ROWS } from "../../base/config/limits.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type Operation, resolveOptions, wholeNumber } from "../../base/operation.ts";
import { type CallOptions, copyOptions, transferSchema } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import type { FolderEntry } from "../../network/blocks/list-entries.ts";
import type { OpenFile } from "../../network/blocks/open-file.ts";
import { loadOnDemand } from "../load-on-demand.ts";

/** Options of {@link openFile}. */
export interface OpenFileOptions extends CallOptions {
  /**
   * Where the file is below `cid`, if that is a folder: names separated by slashes.
   *
   * @default none: `cid` is the file
   */
  path?: string | undefined;
}

export const openFileOperation = {
  options: { ...transferSchema, path: checkPath },
} satisfies Operation<OpenFileOptions>;

/**
 * Opens a file to read any part of it. Every block is verified before a byte of it is returned, so no gateway has to
 * be trusted: `endpoints.gateway` may be a list, of which one has to be up and send the right bytes. At most 32 MiB are
 * held, regardless of the size of the file.
 *
 * @returns the file, whose calls throw what this one throws
 * @throws `INVALID_CID`, `INVALID_OPTION`; `PATH_NOT_FOUND`; `UNSUPPORTED` if no gateway sends blocks (`?format=raw` or
 * `?format=car`), for a folder, and for a content id that is not of SHA-256 over UnixFS; `CID_MISMATCH` if
 * every gateway sends other bytes (`details.gateways`); `INVALID_RESPONSE`, `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `ABORTED`
 *
 * @example
 * const film = await openFile(cid);
 * const lastBytes = await film.read(film.size - 1000, film.size);
 */
export async function openFile(cid: string, options: OpenFileOptions = {}): Promise<OpenFile> {
  const { path, ...call } = resolveOptions(openFileOperation.options, options);
  cid = checkCid(cid);
  const { openVerifiedFile } = await loadOnDemand();
  return openVerifiedFile(cid, call, path);
}

/** Checks a path below a folder; throws `INVALID_OPTION`. */
export function checkPath(path: unknown = "", option = "path"): string {
  if (typeof path !== "string") throw invalidOption(option, "names separated by slashes");
  if (path.split("/").some((name) => name === "." || name === "..")) {
    throw invalidOption(option, "names other than . and ..");
  }
  return path;
}

/** Options of {@link listFolder}. */
export interface ListFolderOptions extends CallOptions {
  /** Of a folder below `cid`: names separated by slashes. @default none: `cid` is the folder */
  path?: string | undefined;
  /** Throw `TOO_MANY_ROWS` after this many entries. @default 100,000 */
  maxRows?: number | undefined;
}

export const listFolderOperation = {
  options: { ...transferSchema, path: checkPath, maxRows: wholeNumber(MAX_ROWS, 1) },
} satisfies Operation<ListFolderOptions>;

/**
 * Yields the entries of a folder that is not encrypted, in the order of its blocks. Every block is
 * verified before anything of it is yielded, as by {@link openFile}; blocks are fetched as the loop advances.
 *
 * @throws when the first entry is requested: `INVALID_CID`, `INVALID_OPTION`, `PATH_NOT_FOUND`, `UNSUPPORTED` for a file; at
 * any entry what {@link openFile} throws; `INVALID_RESPONSE` for a folder that has a name twice; `TOO_MANY_ROWS` after
 * `maxRows` entries
 *
 * @example
 * for await (const { name, type, size } of listFolder(cid)) console.log(name, type, size);
 */
export function listFolder(cid: string, options: ListFolderOptions = {}): AsyncGenerator<FolderEntry, void, undefined> {
  // Before the first entry is requested.
  return iterateEntries(cid, copyOptions(options));
}

async function* iterateEntries(cid: string, options: ListFolderOptions): AsyncGenerator<FolderEntry, void, undefined> {
  const { path, maxRows, ...call } = resolveOptions(listFolderOperation.options, options);
  cid = checkCid(cid);
  const { listVerifiedFolder } = await loadOnDemand();
  yield* listVerifiedFolder(cid, call, { path, maxRows });
}
