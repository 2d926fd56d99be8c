import { requestApi } from "../http/api-client.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { checkOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";
import { arrayOfRows, number, optional, rowWith, text, time } from "../validation/lenient.ts";

/**
 * One storage provider's deal to keep a file. A deal is filled in as it is made, so no field is sure to be there.
 * Fields that are not listed here are kept as they come.
 */
export interface Deal {
  /** Id of the deal on the chain. */
  chainDealID?: number | null | undefined;
  /** Id of the deal where the provider named it. */
  dealId?: number | null | undefined;
  /** Id of the proposal, before there is a deal. */
  dealUUID?: string | null | undefined;
  /** In the network's words, such as `Sealing: PreCommit1`. */
  dealStatus?: string | null | undefined;
  /** Who keeps the file. */
  storageProvider?: string | null | undefined;
  /** Who keeps the file, as an address on the chain. */
  miner?: string | null | undefined;
  /** First epoch of the deal; epochs last 30 seconds. */
  startEpoch?: number | null | undefined;
  /** Last epoch of the deal. */
  endEpoch?: number | null | undefined;
  /** What the provider loses by losing the file, in the network's words. */
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

/**
 * The deals with storage providers to keep a file; none yet is an empty list.
 *
 * @throws `INVALID_CID`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const deals = await getDealStatus(cid);
 */
export async function getDealStatus(cid: string, options: CallOptions = {}): Promise<Deal[]> {
  checkOptions(options, callOptionNames);
  cid = checkCid(cid);
  return requestApi(resolveCall(options), {
    method: "GET",
    path: "/api/lighthouse/deal_status",
    query: { cid },
    schema: arrayOfRows(deal),
    what: "list of deals",
  });
}
