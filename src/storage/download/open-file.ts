import { KEY_NODE_COUNT, MAX_ROWS, TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { cannotDecrypt, invalidOption } from "../../base/errors/input.ts";
import { keyNotProved } from "../../base/errors/verification.ts";
import { boolean, type Operation, type Resolved, resolveOptions, wholeNumber } from "../../base/operation.ts";
import { type CallOptions, copyOptions, transferSchema } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { decryptUntrusted } from "../../formats/crypto/decrypt.ts";
import { keyProofSchema } from "../../keys/file-keys/recover-file-key.ts";
import type { FolderEntry } from "../../network/blocks/list-entries.ts";
import type { OpenFile } from "../../network/blocks/open-file.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { type FileKeyOptions, fileKeySchema, listGivenKeys, searchKeyNodes } from "./decrypt.ts";

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

/** Options of {@link openEncrypted}. */
export type OpenEncryptedOptions = CallOptions &
  FileKeyOptions & {
    /** Accept only the key that {@link commitToKey} returns this for. @default none */
    commitment?: string | undefined;
    /**
     * Prove the key by reading the whole file once and checking its tag: for files of which fewer than four shards are
     * left, and for a `key` without `commitment`.
     *
     * @default false
     */
    authenticate?: boolean | undefined;
  };

export const openEncryptedOperation = {
  options: {
    ...fileKeySchema,
    commitment: keyProofSchema.commitment,
    authenticate: boolean(false),
  },
} satisfies Operation<OpenEncryptedOptions>;

/**
 * Opens an encrypted file to read any part of it, decrypted: every block is verified against the content id, and the
 * key is proved first, since a part of a file does not reveal that its key is wrong. Four of the five key nodes have to
 * agree on it; `commitment`, or `authenticate` with a whole pass over the file, prove it as well. At most 32 MiB are held,
 * regardless of the size of the file.
 *
 * @returns the file, whose calls throw what this one throws
 * @throws `KEY_NOT_PROVED` if fewer than four shards agree, or for a `key` without proof; `INVALID_CID`, `INVALID_KEY`,
 * `MISSING_OWNER`, `COMMITMENT_MISMATCH`; `CANNOT_DECRYPT` for a file that is none, or whose tag refuses the key; what
 * {@link openFile} and {@link kavachRecoverShards} throw
 *
 * @example
 * const film = await openEncrypted(cid, { signer });
 * const scene = film.stream({ from: 1_000_000_000 });
 */
export async function openEncrypted(cid: string, options: OpenEncryptedOptions): Promise<OpenFile> {
  const resolved = resolveOptions(openEncryptedOperation.options, options);
  cid = checkCid(cid);
  const { openEncryptedBlocks } = await loadOnDemand();
  const { timeoutMs = TRANSFER_TIMEOUT_MS } = resolved;
  const file = await openEncryptedBlocks(cid, { ...resolved, timeoutMs });
  return file.decryptWith(await findProvedKey(cid, resolved, file.readAll));
}

/** @param readAll - reads the whole file as it is stored */
async function findProvedKey(
  cid: string,
  options: Resolved<typeof openEncryptedOperation.options>,
  readAll: () => AsyncGenerator<Uint8Array>,
): Promise<string> {
  const { key, commitment, authenticate, threshold } = options;
  const strict = commitment === undefined && !authenticate;
  if (key !== undefined && strict) throw keyNotProved(cid);
  try {
    const keys =
      key === undefined
        ? (await searchKeyNodes(cid, options, { strict, commitment })).keys()
        : await listGivenKeys(cid, key, commitment);
    for await (const each of keys) if (!authenticate || (await opens(each, readAll()))) return each;
  } catch (error) {
    throw strict && isOnlyUnproved(error, threshold) ? keyNotProved(cid, error) : error;
  }
  throw cannotDecrypt();
}

/** Whether enough nodes have a shard to open the file, but not to prove its key. */
function isOnlyUnproved(error: unknown, threshold: number): boolean {
  if (isKeeplightError(error, "NODES_FAILED")) return error.details.nodes.length <= KEY_NODE_COUNT - threshold;
  return isKeeplightError(error, "CANNOT_RECOVER_KEY");
}

async function opens(key: string, file: AsyncGenerator<Uint8Array>): Promise<boolean> {
  try {
    for await (const _ of decryptUntrusted(file, key));
    return true;
  } catch (error) {
    if (isKeeplightError(error, "CANNOT_DECRYPT")) return false;
    throw error;
  }
}
