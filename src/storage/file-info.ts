import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";

const fileInfo = z.looseObject({
  /** As it was asked for. */
  cid: z.string(),
  /** As it was uploaded. */
  fileName: z.string(),
  /** A decimal string. */
  fileSizeInBytes: z.string(),
  /** `null` where it is not known. */
  mimeType: z.optional(z.nullable(z.string())),
  /** Whether it was encrypted by the client that uploaded it. */
  encryption: z.boolean(),
  /** Of a transaction that the upload belongs to; mostly empty. */
  txHash: z.optional(z.nullable(z.string())),
});

/** What the network knows of a stored file. Fields beyond these are kept as they come. */
export type FileInfo = z.infer<typeof fileInfo>;

/**
 * What the network knows of a stored file.
 *
 * @throws `INVALID_CID`, `HTTP_STATUS` (404 for a file it does not know), `INVALID_ANSWER`; what every request
 * may throw
 *
 * @example
 * const { fileName, fileSizeInBytes, encryption } = await getFileInfo(cid);
 */
export async function getFileInfo(cid: string, options: CallOptions = {}): Promise<FileInfo> {
  checkOptions(options, callOptionNames);
  checkCid(cid);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/lighthouse/file_info",
    query: { cid },
    schema: fileInfo,
    what: "file info",
    wording: "http",
  });
}
