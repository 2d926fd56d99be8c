import { createHash } from "node:crypto";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import type { Deal } from "./deal-book.ts";

/** When the chain's first epoch began, in milliseconds since 1970, and how long each is. */
const GENESIS = 1_598_306_400_000;
const EPOCH_MS = 30_000;

/** Epochs from a deal's making to its start, and from there to its end: 1 and 540 days. */
const EPOCHS_TO_START = 2_880;
const EPOCHS_OF_DEAL = 1_555_200;

/** A deal as the API host words it. */
export function wordDeal({ dealId, storageProvider, cid, bytes, madeAt, inclusion }: Deal): Record<string, unknown> {
  const startEpoch = Math.floor((madeAt - GENESIS) / EPOCH_MS) + EPOCHS_TO_START;
  const { aggregateCid, aggregateSize } = inclusion;
  return {
    chainDealID: dealId,
    endEpoch: startEpoch + EPOCHS_OF_DEAL,
    publishCID: messageCid(`deal ${dealId}: ${aggregateCid}`),
    storageProvider,
    dealStatus: "Sealing: Proving",
    dealUUID: uuid(`deal ${dealId}: ${aggregateCid}`),
    startEpoch,
    aggregateIn: aggregateCid,
    providerCollateral: "0",
    pieceCID: aggregateCid,
    payloadCid: cid,
    pieceSize: aggregateSize,
    carFileSize: bytes,
    lastUpdate: madeAt,
    dealId,
    miner: `t0${storageProvider}`,
    content: dealId,
  };
}

/** What the content id of a message on the chain looks like: dag-cbor, SHA-256. */
function messageCid(text: string): string {
  return CID.createV1(0x71, createDigest(0x12, createHash("sha256").update(text).digest())).toString();
}

/** The same one at every question. */
function uuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
