import { invalidResponse } from "../../base/errors/transport.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { flag, optional, requiredText, rowWith, text } from "../../base/validation/lenient.ts";
import { checkCid, isSameCid } from "../../formats/cid/check-cid.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** What the network knows of a stored file. Fields that are not listed here are kept unchanged. */
export interface FileInfo {
  /** The requested one, in any encoding. Empty if the network sends none. */
  cid: string;
  /** As uploaded; `null` if unknown, as for the other fields. */
  fileName: string | null;
  /** In bytes: a decimal string. */
  fileSizeInBytes: string | null;
  /** MIME type. */
  mimeType?: string | null | undefined;
  /** Whether it was encrypted by the client that uploaded it. */
  encryption: boolean | null;
  /** Of a transaction that the upload belongs to; mostly empty. */
  txHash?: string | null | undefined;
  [field: string]: unknown;
}

const fileInfo = rowWith<FileInfo>({
  cid: requiredText,
  fileName: text,
  fileSizeInBytes: text,
  mimeType: optional(text),
  encryption: flag,
  txHash: optional(text),
});

const PATH = "/api/lighthouse/file_info";

export const getFileInfoOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Returns what the network knows of a stored file. Nothing authenticates it: never open a file by its name or MIME type
 * alone.
 *
 * @throws `INVALID_CID`, `HTTP_STATUS` (404 for a file it does not know), `INVALID_RESPONSE`; what every request
 * may throw
 *
 * @example
 * const { fileName, fileSizeInBytes, encryption } = await getFileInfo(cid);
 */
export async function getFileInfo(cid: string, options: CallOptions = {}): Promise<FileInfo> {
  const call = resolveOptions(callSchema, options);
  cid = checkCid(cid);
  const info = await requestApi(call, {
    method: "GET",
    path: PATH,
    query: { cid },
    schema: fileInfo,
    what: "file info",
    statusFormat: "http",
  });
  if (info.cid !== "" && !isSameCid(info.cid, cid)) {
    throw invalidResponse({ method: "GET", url: PATH }, "The network returned the file info of another file");
  }
  return info;
}
