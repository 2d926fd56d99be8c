import { createHash } from "node:crypto";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import type { Deal } from "./deal-book.ts";

/** Start of the chain's first epoch, in milliseconds since 1970, and length of an epoch. */
const GENESIS = 1_598_306_400_000;
const EPOCH_MS = 30_000;

/** Epochs from a deal's creation to its start, and from its start to its end: 1 and 540 days. */
const EPOCHS_TO_START = 2_880;
const EPOCHS_OF_DEAL = 1_555_200;

/** Formats a deal as in the API host's response. */
export function toDealResponse({
  dealId,
  storageProvider,
  cid,
  bytes,
  createdAt,
  inclusion,
}: Deal): Record<string, unknown> {
  const startEpoch = Math.floor((createdAt - GENESIS) / EPOCH_MS) + EPOCHS_TO_START;
  const { aggregateCid, aggregateSize } = inclusion;
  return {
    chainDealID: dealId,
    endEpoch: startEpoch + EPOCHS_OF_DEAL,
    publishCID: toMessageCid(`deal ${dealId}: ${aggregateCid}`),
    storageProvider,
    dealStatus: "Sealing: Proving",
    dealUUID: toUuid(`deal ${dealId}: ${aggregateCid}`),
    startEpoch,
    aggregateIn: aggregateCid,
    providerCollateral: "0",
    pieceCID: aggregateCid,
    payloadCid: cid,
    pieceSize: aggregateSize,
    carFileSize: bytes,
    lastUpdate: createdAt,
    dealId,
    miner: `t0${storageProvider}`,
    content: dealId,
  };
}

/** Returns a content id like that of a message on the chain: dag-cbor, SHA-256. */
function toMessageCid(text: string): string {
  return CID.createV1(0x71, createDigest(0x12, createHash("sha256").update(text).digest())).toString();
}

/** Derives a UUID, so that it is the same in every response. */
function toUuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
