import * as z from "zod/mini";
import { throwIfAborted } from "../../base/async/abort.ts";
import { LIST_RESPONSE_BYTES, MAX_ROWS } from "../../base/config/limits.ts";
import { tooManyRows } from "../../base/errors/transport.ts";
import { nonEmpty, type Operation, type Resolved, resolveOptions, wholeNumber } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema, copyOptions } from "../../base/options.ts";
import {
  arrayOfRows,
  flag,
  number,
  optional,
  requiredText,
  rowWith,
  text,
  time,
} from "../../base/validation/schema.ts";
import { requestApi } from "../../network/http/api-client.ts";

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
}

export const listFilesOperation = {
  options: {
    ...bearerSchema,
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

function requestPage({ lastKey, ...call }: Resolved<typeof listFilesOperation.options>): Promise<FilePage> {
  return requestApi(call, {
    method: "GET",
    path: "/api/user/files_uploaded",
    query: { lastKey },
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

export const deleteFileOperation = { options: bearerSchema } satisfies Operation<BearerOptions>;

/**
 * Deletes a file of the account.
 *
 * @param id - the file's `id` in the listing, not its content id
 * @throws `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const { fileList } = await listFiles({ apiKey });
 * for (const { id } of fileList) await deleteFile(id, { apiKey });
 */
export async function deleteFile(id: string, options: BearerOptions): Promise<DeletedFile> {
  const call = resolveOptions(bearerSchema, options);
  nonEmpty(id, "id");
  return requestApi(call, {
    method: "DELETE",
    path: "/api/user/delete_file",
    query: { id },
    schema: deleted,
    what: "confirmation that the file is deleted",
  });
}
