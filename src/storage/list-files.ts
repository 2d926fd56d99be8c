import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import { throwIfAborted } from "../input/abort.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkText } from "../input/text.ts";
import { type BearerOptions, bearerOptionNames, requireApiKey, resolveCall } from "../options.ts";

const listedFile = z.looseObject({
  /** What `deleteFile` and the option `lastKey` take. */
  id: z.string(),
  /** Of the file. */
  cid: z.string(),
  /** As it was uploaded. */
  fileName: z.string(),
  /** A decimal string. */
  fileSizeInBytes: z.string(),
  /** `null` where it is not known. */
  mimeType: z.optional(z.nullable(z.string())),
  /** Whether it was encrypted by the client that uploaded it. */
  encryption: z.boolean(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  /** Milliseconds since 1970. */
  lastUpdate: z.optional(z.nullable(z.number())),
  /** Address of the account. */
  publicKey: z.string(),
  /** In the network's words, such as `queued`. */
  status: z.optional(z.nullable(z.string())),
  /** Of a transaction that the upload belongs to; mostly empty. */
  txHash: z.optional(z.nullable(z.string())),
});

const filePage = z.looseObject({
  /** In the order of the listing. */
  fileList: z.array(listedFile),
  /** How many files the account has, on all pages. */
  totalFiles: z.number(),
});

/** One file of an account. Fields beyond these are kept as they come. */
export type ListedFile = z.infer<typeof listedFile>;

/** One page of an account's files. */
export type FilePage = z.infer<typeof filePage>;

/** Options of {@link listFiles} and {@link iterateFiles}. */
export interface ListFilesOptions extends BearerOptions {
  /** `id` of the file after which to go on: the last one of the page before. Default: from the start. */
  lastKey?: string | null | undefined;
}

export const listFilesNames = [bearerOptionNames, "lastKey"] as const;

/**
 * One page, of up to 2,000, of the account's files. {@link iterateFiles} gives them all.
 *
 * @throws `MISSING_API_KEY`, `INVALID_OPTION`, `HTTP_STATUS`, `INVALID_ANSWER`; what every request may throw
 */
export async function listFiles(options: ListFilesOptions = {}): Promise<FilePage> {
  checkOptions(options, listFilesNames);
  const { lastKey } = options;
  const bearer = requireApiKey(options);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/user/files_uploaded",
    query: { lastKey: lastKey === undefined || lastKey === null ? "null" : checkText("lastKey", lastKey) },
    bearer,
    schema: filePage,
    what: "list of files",
  });
}

/**
 * All of the account's files, each once, fetched page after page as they are asked for. Leaving the loop ends
 * it; so does a server that goes on sending what it has sent before.
 *
 * @throws as {@link listFiles}, when the first file of a page is asked for
 *
 * @example
 * for await (const file of iterateFiles({ apiKey })) console.log(file.fileName, file.cid);
 */
export async function* iterateFiles(options: ListFilesOptions = {}): AsyncGenerator<ListedFile, void, undefined> {
  checkOptions(options, listFilesNames);
  const seen = new Set<string>();
  for (let { lastKey } = options; ; ) {
    const { fileList } = await listFiles({ ...options, lastKey });
    const before = seen.size;
    for (const file of fileList) {
      if (seen.has(file.id)) continue;
      seen.add(file.id);
      throwIfAborted(options.signal);
      yield file;
    }
    if (seen.size === before) return;
    lastKey = fileList.at(-1)?.id;
  }
}
