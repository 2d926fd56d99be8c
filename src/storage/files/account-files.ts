import * as z from "zod/mini";
import { throwIfAborted } from "../../base/async/abort.ts";
import { LIST_RESPONSE_BYTES, MAX_ROWS } from "../../base/config/limits.ts";
import { invalidResponse, tooManyRows } from "../../base/errors/transport.ts";
import {
  nonEmpty,
  type Operation,
  optional as optionalOption,
  type Resolved,
  resolveOptions,
  wholeNumber,
} from "../../base/operation.ts";
import {
  type BearerOptions,
  bearerSchema,
  type CallOptions,
  callSchema,
  copyOptions,
  token,
} from "../../base/options.ts";
import {
  arrayOfRows,
  flag,
  isObject,
  number,
  optional,
  requiredText,
  rowWith,
  text,
  time,
} from "../../base/validation/schema.ts";
import { checkCid, isSameCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";
import type { StorageClass } from "../upload/storage-class.ts";

/** One file of an account. Fields that are not listed here are kept unchanged. */
export interface ListedFile {
  /** For `deleteFile` and the option `lastKey`. Empty if the network sends none. */
  id: string;
  /** Content id of the file. Empty if the network sends none. */
  cid: string;
  /** As uploaded; `null` if unknown, as for the other fields. */
  fileName: string | null;
  /** In bytes: a decimal string. */
  fileSizeInBytes: string | null;
  /** MIME type. */
  mimeType?: string | null | undefined;
  /** Whether it was encrypted by the client that uploaded it. */
  encryption: boolean | null;
  /** Milliseconds since 1970. */
  createdAt: number | null;
  /** Milliseconds since 1970. */
  lastUpdate?: number | null | undefined;
  /** Address of the account. */
  publicKey: string | null;
  /** The network's own text, such as `queued`. */
  status?: string | null | undefined;
  /** Of a transaction that the upload belongs to; mostly empty. */
  txHash?: string | null | undefined;
  [field: string]: unknown;
}

/** One page of an account's files. */
export interface FilePage {
  /** In the order of the listing. */
  fileList: ListedFile[];
  /** How many files the account has, on all pages; `null` if the network does not send it. */
  totalFiles: number | null;
  [field: string]: unknown;
}

const listedFile = rowWith<ListedFile>({
  id: requiredText,
  cid: requiredText,
  fileName: text,
  fileSizeInBytes: text,
  mimeType: optional(text),
  encryption: flag,
  createdAt: time,
  lastUpdate: optional(time),
  publicKey: text,
  status: optional(text),
  txHash: optional(text),
});

const filePageSchema = z.pipe(
  z.looseObject({ fileList: arrayOfRows(listedFile) }),
  z.transform((page): FilePage => ({ ...page, totalFiles: number(page["totalFiles"]) })),
);

/** Options of {@link listFiles} and {@link iterateFiles}. */
export interface ListFilesOptions extends BearerOptions {
  /** `id` of the file after which to continue: the last one of the previous page. @default from the start */
  lastKey?: string | null | undefined;
  /** Only the files of this storage class, as the network names it. @default all */
  storage?: StorageClass | undefined;
}

export const listFilesOperation = {
  options: {
    ...bearerSchema,
    storage: optionalOption(token),
    lastKey: (value, name) => (value === undefined || value === null ? "null" : nonEmpty(value, name)),
  },
  at: 0,
} satisfies Operation<ListFilesOptions>;

/** Options of {@link iterateFiles}. */
export interface IterateFilesOptions extends ListFilesOptions {
  /** Throw `TOO_MANY_ROWS` after this many files, as a listing need not end. @default 100,000 */
  maxRows?: number | undefined;
}

export const iterateFilesOperation = {
  options: { ...listFilesOperation.options, maxRows: wholeNumber(MAX_ROWS, 1) },
  at: 0,
} satisfies Operation<IterateFilesOptions>;

/**
 * Returns one page of the account's files, up to 2,000. {@link iterateFiles} yields all of them.
 *
 * @throws `MISSING_API_KEY`, `INVALID_OPTION`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 */
export async function listFiles(options: ListFilesOptions): Promise<FilePage> {
  return requestPage(resolveOptions(listFilesOperation.options, options));
}

function requestPage({ lastKey, storage, ...call }: Resolved<typeof listFilesOperation.options>): Promise<FilePage> {
  return requestApi(call, {
    method: "GET",
    path: "/api/user/files_uploaded",
    query: { lastKey, ...(storage === undefined ? {} : { fileType: storage }) },
    maxBytes: LIST_RESPONSE_BYTES,
    schema: filePageSchema,
    what: "list of files",
  });
}

/**
 * Yields all of the account's files, each once, and fetches the pages on demand. Ends with the loop, or when the server
 * sends only files that it has sent before.
 *
 * @throws as {@link listFiles}, when the first file of a page is requested; `TOO_MANY_ROWS` after `maxRows` files
 *
 * @example
 * for await (const file of iterateFiles({ apiKey })) console.log(file.fileName, file.cid);
 */
export function iterateFiles(options: IterateFilesOptions): AsyncGenerator<ListedFile, void, undefined> {
  // Before the first file is requested.
  return iteratePages(copyOptions(options));
}

async function* iteratePages(options: IterateFilesOptions): AsyncGenerator<ListedFile, void, undefined> {
  const { maxRows, ...page } = resolveOptions(iterateFilesOperation.options, options);
  let count = 0;
  const seen = new Set<string>();
  for (let { lastKey } = page; ; ) {
    const { fileList } = await requestPage({ ...page, lastKey });
    const before = seen.size;
    for (const file of fileList) {
      if (seen.has(file.id)) continue;
      // Files without an id cannot be compared: each counts as a new one.
      if (file.id !== "") seen.add(file.id);
      throwIfAborted(page.signal);
      if (++count > maxRows) throw tooManyRows(maxRows);
      yield file;
    }
    if (seen.size === before) return;
    lastKey = fileList.findLast(({ id }) => id !== "")?.id ?? lastKey;
  }
}

/** The API host's confirmation that a file is deleted. Fields that are not listed here are kept unchanged. */
export interface DeletedFile {
  /** The API host's own text. */
  message: string;
  [field: string]: unknown;
}

const deleted = rowWith<DeletedFile>({ message: requiredText });

/** Options of {@link deleteFile}. */
export interface DeleteFileOptions extends BearerOptions {
  /** Storage class of the file; `walrus` has deletions of its own. @default any other */
  storage?: StorageClass | undefined;
}

export const deleteFileOperation = {
  options: { ...bearerSchema, storage: optionalOption(token) },
} satisfies Operation<DeleteFileOptions>;

/**
 * Deletes a file of the account.
 *
 * @param id - the file's `id` in the listing, not its content id; the listing says nothing of its storage class
 * @throws `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const { fileList } = await listFiles({ apiKey });
 * for (const { id } of fileList) await deleteFile(id, { apiKey });
 */
export async function deleteFile(id: string, options: DeleteFileOptions): Promise<DeletedFile> {
  const { storage, ...call } = resolveOptions(deleteFileOperation.options, options);
  nonEmpty(id, "id");
  return requestApi(call, {
    method: "DELETE",
    path: storage === "walrus" ? "/api/user/delete_file_walrus" : "/api/user/delete_file",
    query: { id },
    schema: deleted,
    what: "confirmation that the file is deleted",
  });
}

export const listBlobsOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Lists the blobs on Walrus that hold a file of the storage class `walrus`. The network lists them some time after the
 * upload: until then it may send none, or an error. What a blob holds is not verified.
 *
 * @returns ids of blobs, as Walrus names them
 * @throws `INVALID_CID`, `INVALID_OPTION`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const ids = await listBlobs(cid);
 */
export async function listBlobs(cid: string, options: CallOptions = {}): Promise<string[]> {
  const call = resolveOptions(listBlobsOperation.options, options);
  const { blobIds } = await requestApi(call, {
    method: "GET",
    path: "/api/lighthouse/walrus_blobs",
    query: { cid: checkCid(cid) },
    maxBytes: LIST_RESPONSE_BYTES,
    schema: z.looseObject({ blobIds: z.array(z.string()) }),
    what: "list of blobs",
  });
  return blobIds;
}

/** Options of {@link pinCid}. */
export interface PinOptions extends BearerOptions {
  /** Name of the file in the account's listing. @default the network's own */
  fileName?: string | undefined;
}

export const pinCidOperation = {
  options: { ...bearerSchema, fileName: (value, name) => (value === undefined ? undefined : nonEmpty(value, name)) },
} satisfies Operation<PinOptions>;

/** The API host's confirmation that content is pinned. It may have more fields, which are kept unchanged. */
export interface PinnedCid {
  /** The requested one. */
  cid: string;
  [field: string]: unknown;
}

const PIN_PATH = "/api/lighthouse/pin";

/**
 * Adds content that is already on IPFS to the account, without uploading it: the network keeps a copy, and the account's
 * listing has a file of it. Pinning an encrypted file does not share its key.
 *
 * @throws `INVALID_CID`, `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS` if the network refuses it, as for content that
 * it does not find; `INVALID_RESPONSE` if it confirms other content; what every request may throw
 *
 * @example
 * await pinCid(cid, { apiKey, fileName: "photo.jpg" });
 */
export async function pinCid(cid: string, options: PinOptions): Promise<PinnedCid> {
  const { fileName, ...call } = resolveOptions(pinCidOperation.options, options);
  cid = checkCid(cid);
  const response = await requestApi(call, {
    method: "POST",
    path: PIN_PATH,
    json: { cid, fileName },
    // The network documents no fields: the status is the confirmation.
    schema: z.unknown(),
    what: "confirmation that the content is pinned",
  });
  const fields = isObject(response) ? response : {};
  for (const { cid: pinned } of [fields, isObject(fields["data"]) ? fields["data"] : {}]) {
    if (typeof pinned !== "string" || pinned === "" || isSameCid(pinned, cid)) continue;
    throw invalidResponse({ method: "POST", url: PIN_PATH }, "The API host pinned other content");
  }
  return { ...fields, cid };
}
