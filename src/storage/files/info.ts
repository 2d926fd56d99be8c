import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
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
import { checkCid, isSameCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";
import type { ListedFile } from "./account-files.ts";

/** What the network knows of a stored file. Fields that are not listed here are kept unchanged. */
export interface FileInfo
  extends Pick<ListedFile, "fileName" | "fileSizeInBytes" | "mimeType" | "encryption" | "txHash"> {
  /** The requested one, in any encoding. Empty if the network sends none. */
  cid: string;
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

/** Whether the network lists something as stored: a file or a folder that was uploaded, not what a folder contains. */
export async function isKnown(cid: string, call: CallOptions): Promise<boolean> {
  try {
    await getFileInfo(cid, call);
    return true;
  } catch (error) {
    if (isKeeplightError(error, "HTTP_STATUS") && error.details.status === 404) return false;
    throw error;
  }
}

/**
 * One storage provider's deal to keep a file. A deal is completed over time, so any field may be absent.
 * Fields that are not listed here are kept unchanged.
 */
export interface Deal {
  /** Id of the deal on the chain. */
  chainDealID?: number | null | undefined;
  /** Id of the deal as the provider named it. */
  dealId?: number | null | undefined;
  /** Id of the proposal, before there is a deal. */
  dealUUID?: string | null | undefined;
  /** The network's own text, such as `Sealing: PreCommit1`. */
  dealStatus?: string | null | undefined;
  /** The provider that stores the file. */
  storageProvider?: string | null | undefined;
  /** Address of that provider on the chain. */
  miner?: string | null | undefined;
  /** First epoch of the deal; epochs last 30 seconds. */
  startEpoch?: number | null | undefined;
  /** Last epoch of the deal. */
  endEpoch?: number | null | undefined;
  /** What the provider loses by losing the file, as the network describes it. */
  providerCollateral?: string | null | undefined;
  /** Piece id (CommP) of the deal's data. */
  pieceCID?: string | null | undefined;
  /** In bytes. */
  pieceSize?: number | null | undefined;
  /** Content id of the deal's data. */
  payloadCid?: string | null | undefined;
  /** Content id of the message that published the deal. */
  publishCID?: string | null | undefined;
  /** In bytes. */
  carFileSize?: number | null | undefined;
  /** Content id of the aggregate that the file is in. */
  aggregateIn?: string | null | undefined;
  /** The network's number of the content. */
  content?: number | null | undefined;
  /** Milliseconds since 1970. */
  lastUpdate?: number | null | undefined;
  [field: string]: unknown;
}

const deal = rowWith<Deal>({
  chainDealID: optional(number),
  dealId: optional(number),
  dealUUID: optional(text),
  dealStatus: optional(text),
  storageProvider: optional(text),
  miner: optional(text),
  startEpoch: optional(number),
  endEpoch: optional(number),
  providerCollateral: optional(text),
  pieceCID: optional(text),
  pieceSize: optional(number),
  payloadCid: optional(text),
  publishCID: optional(text),
  carFileSize: optional(number),
  aggregateIn: optional(text),
  content: optional(number),
  lastUpdate: optional(time),
});

export const getDealStatusOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Lists the deals with storage providers for a file; empty if there are none yet.
 *
 * @throws `INVALID_CID`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const deals = await getDealStatus(cid);
 */
export async function getDealStatus(cid: string, options: CallOptions = {}): Promise<Deal[]> {
  const call = resolveOptions(callSchema, options);
  cid = checkCid(cid);
  return requestApi(call, {
    method: "GET",
    path: "/api/lighthouse/deal_status",
    query: { cid },
    maxBytes: LIST_RESPONSE_BYTES,
    schema: arrayOfRows(deal),
    what: "list of deals",
  });
}
