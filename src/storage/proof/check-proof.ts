import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { proofInvalid } from "../../base/errors/proof.ts";
import type { fromMultibase, toMultibase } from "../../formats/cid/multibase.ts";
import { type ProvedPlace, provePlace } from "./aggregate.ts";
import { type InclusionProof, PIECE_PREFIX, type ProofResponse, readProof } from "./read-proof.ts";
import type { VerifiedDeal, VerifiedInclusion, VerifiedProof } from "./types.ts";

/** Encodes and decodes content ids: passed in, as the page has loaded that already. */
interface Codec {
  fromMultibase: typeof fromMultibase;
  toMultibase: typeof toMultibase;
}

/** Implements `verifyProof`; loaded when it is called. */
export function checkProof(proof: ProofResponse | InclusionProof, codec: Codec): VerifiedProof | VerifiedInclusion {
  const read = readProof(proof);
  if (!("dealInfo" in read)) return toInclusion(provePlace(read, {}), codec);

  const deals = read.dealInfo.map(({ dealId, storageProvider, proof }) => ({
    dealId,
    storageProvider,
    ...toInclusion(provePlace(proof, { dealId }), codec),
  }));
  const [first, ...others] = deals;
  if (!first) throw proofInvalid("there is no deal in it");
  const { pieceCid, pieceSize } = first;
  for (const deal of others) {
    if (deal.pieceCid !== pieceCid) throw proofInvalid("the deals are about different pieces", { dealId: deal.dealId });
  }
  if (read.pieceCID !== undefined && !isPieceOf(deals, read.pieceCID, codec)) {
    throw proofInvalid("pieceCID is the piece of neither the data nor a deal", { field: "pieceCID" });
  }
  return { valid: true, pieceCid, pieceSize, deals: [first, ...others] };
}

function toInclusion(place: ProvedPlace, { toMultibase }: Codec): VerifiedInclusion {
  const { commitment, root, pieceSize, offset, aggregateSize } = place;
  const toPieceCid = (hash: Uint8Array) => toMultibase(hexToBytes(PIECE_PREFIX + bytesToHex(hash)), "b");
  return {
    valid: true,
    pieceCid: toPieceCid(commitment),
    pieceSize,
    offset,
    root: bytesToHex(root),
    aggregateCid: toPieceCid(root),
    aggregateSize,
  };
}

/** Services differ in which of the two pieces they name. */
function isPieceOf(deals: readonly VerifiedDeal[], pieceCid: string, { fromMultibase, toMultibase }: Codec): boolean {
  const bytes = fromMultibase(pieceCid)?.bytes;
  const text = bytes && toMultibase(bytes, "b");
  return deals.some((deal) => text === deal.pieceCid || text === deal.aggregateCid);
}
