import { createHash } from "node:crypto";
import {
  Aggregate,
  type MerkleTreeNode,
  Piece,
  type PieceDigest,
  type ProofData,
  Segment,
} from "@web3-storage/data-segment";

/** Numbers of other pieces before and after the one that is proved, all of the same size. */
const OTHERS = { before: 5, after: 2 };

/** Minimum padded bytes of an aggregate, 64 MiB, and the number of equal pieces that fit into a larger one. */
const MIN_AGGREGATE_BYTES = 2n ** 26n;
const PIECES_PER_AGGREGATE = 16n;

/** A Merkle path on the wire: hashes and index are hex. */
interface MerklePath {
  index: string;
  path: string[];
}

/** A proof of inclusion (FRC-0058) in the API host's format. */
interface InclusionProof {
  verifierData: { commPc: string; sizePc: string };
  inclusionProof: { proofIndex: MerklePath; proofSubtree: MerklePath };
  indexRecord: { checksum: string; proofIndex: string; proofSubtree: number; size: number };
}

/** The position of a piece in the data of a deal, with its proof. */
export interface Inclusion {
  /** Piece id of the aggregate, which is the subject of the deal. */
  aggregateCid: string;
  /** Padded bytes of the aggregate. */
  aggregateSize: number;
  proof: InclusionProof;
}

/** Builds an aggregate of a piece and made-up ones, and proves that it includes the piece. */
export function includePiece({ root, height }: PieceDigest): Inclusion {
  const piece = { root, height, padding: 0n };
  const pieceSize = 2n ** BigInt(height) * 32n;
  const requiredSize = pieceSize * PIECES_PER_AGGREGATE;
  const size = Aggregate.Size.from(requiredSize > MIN_AGGREGATE_BYTES ? requiredSize : MIN_AGGREGATE_BYTES);
  const others = Array.from({ length: OTHERS.before + OTHERS.after }, (_, n) => ({
    ...piece,
    root: createOtherRoot(root, n),
  }));
  const pieces = [...others.slice(0, OTHERS.before), piece, ...others.slice(OTHERS.before)];
  const aggregate = Aggregate.build({ pieces, size });
  const { ok: proof, error } = aggregate.resolveProof(Piece.toLink(piece));
  if (!proof) throw error;
  const [subtree, index] = proof;
  const record = { root: piece.root, offset: subtree[0] * pieceSize, size: pieceSize };
  return {
    aggregateCid: Piece.toInfo(aggregate).link.toString(),
    aggregateSize: Number(size),
    proof: {
      verifierData: { commPc: toHex(Piece.toInfo(piece).link.bytes), sizePc: pieceSize.toString(16) },
      inclusionProof: { proofIndex: toWirePath(index), proofSubtree: toWirePath(subtree) },
      indexRecord: {
        checksum: toHex(Segment.computeChecksum(record)),
        proofIndex: toHex(root),
        proofSubtree: Number(record.offset),
        size: Number(record.size),
      },
    },
  };
}

function createOtherRoot(root: Uint8Array, n: number): MerkleTreeNode {
  const node = createHash("sha256").update(root).update(`other ${n}`).digest();
  node[31] = (node[31] ?? 0) & 0x3f;
  return Uint8Array.from(node) as MerkleTreeNode;
}

function toWirePath([index, path]: ProofData): MerklePath {
  return { index: index.toString(16), path: path.map(toHex) };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
