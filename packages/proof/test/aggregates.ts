import { Aggregate, Inclusion, Index, Piece, Segment } from "@web3-storage/data-segment";
import type { InclusionProof } from "../../../src/index.ts";

type AnyPiece = ReturnType<typeof Piece.fromPayload>;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Creates the piece of some bytes, which differ by `seed`. */
export function createPiece(size: number, seed: number): AnyPiece {
  return Piece.fromPayload(Uint8Array.from({ length: size }, (_, at) => (at * 7 + seed * 31 + (at >> 8)) & 0xff));
}

/** Puts pieces into one aggregate; returns its root and the proof of each piece, in the network's format. */
export function createAggregate(
  pieces: readonly AnyPiece[],
  size: number,
): { root: string; proofs: InclusionProof[]; indexEntries: number } {
  const dealSize = BigInt(size) as Parameters<typeof Index.maxIndexEntriesInDeal>[0];
  const aggregate = Aggregate.build({ pieces: [...pieces], size: dealSize });
  const proofs = pieces.map((piece) => {
    const { ok, error } = aggregate.resolveProof(piece.link);
    if (!ok) throw error;
    const [tree, index] = [Inclusion.tree(ok), Inclusion.index(ok)];
    const path = ([position, nodes]: typeof tree) => ({ index: position.toString(16), path: nodes.map(hex) });
    return {
      verifierData: { commPc: `0181e203922020${hex(piece.root)}`, sizePc: piece.size.toString(16) },
      inclusionProof: { proofIndex: path(index), proofSubtree: path(tree) },
      indexRecord: createIndexRecord(hex(piece.root), Number(piece.size), Number(tree[0] * piece.size)),
    };
  });
  return { root: hex(aggregate.root), proofs, indexEntries: Number(Index.maxIndexEntriesInDeal(dealSize)) };
}

/** Creates the index record of an aggregate for a piece (its commitment in hex). */
export function createIndexRecord(commitment: string, size: number, offset: number): InclusionProof["indexRecord"] {
  const record = { root: Buffer.from(commitment, "hex"), size: BigInt(size), offset: BigInt(offset) };
  const checksum = hex(Segment.computeChecksum(record as Parameters<typeof Segment.computeChecksum>[0]));
  return { checksum, proofIndex: commitment, proofSubtree: offset, size };
}
