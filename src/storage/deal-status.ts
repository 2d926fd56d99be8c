import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";

const number = z.optional(z.nullable(z.number()));
const text = z.optional(z.nullable(z.string()));

/** A deal is filled in as it is made, so no field is sure to be there. */
const deal = z.looseObject({
  /** Id of the deal on the chain. */
  chainDealID: number,
  /** Id of the deal where the provider named it. */
  dealId: number,
  /** Id of the proposal, before there is a deal. */
  dealUUID: text,
  /** In the network's words, such as `Sealing: PreCommit1`. */
  dealStatus: text,
  /** Who keeps the file. */
  storageProvider: text,
  /** Who keeps the file, as an address on the chain. */
  miner: text,
  /** First epoch of the deal; epochs last 30 seconds. */
  startEpoch: number,
  /** Last epoch of the deal. */
  endEpoch: number,
  /** What the provider loses by losing the file, in the network's words. */
  providerCollateral: text,
  /** Piece id (CommP) of the deal's data. */
  pieceCID: text,
  /** In bytes. */
  pieceSize: number,
  /** Content id of the deal's data. */
  payloadCid: text,
  /** Content id of the message that published the deal. */
  publishCID: text,
  /** In bytes. */
  carFileSize: number,
  /** Content id of the aggregate that the file is in. */
  aggregateIn: text,
  /** The network's number of the content. */
  content: number,
  /** Milliseconds since 1970. */
  lastUpdate: number,
});

/** One storage provider's deal to keep a file. Fields beyond these are kept as they come. */
export type Deal = z.infer<typeof deal>;

/**
 * The deals with storage providers to keep a file; none yet is an empty list.
 *
 * @throws `INVALID_CID`, `HTTP_STATUS`, `INVALID_ANSWER`; what every request may throw
 *
 * @example
 * const deals = await getDealStatus(cid);
 */
export async function getDealStatus(cid: string, options: CallOptions = {}): Promise<Deal[]> {
  checkOptions(options, callOptionNames);
  checkCid(cid);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/lighthouse/deal_status",
    query: { cid },
    schema: z.array(deal),
    what: "list of deals",
  });
}
