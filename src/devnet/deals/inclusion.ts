import { createHash } from "node:crypto";
import {
  Aggregate,
  type MerkleTreeNode,
  Piece,
  type PieceDigest,
  type ProofData,
  Segment,
} from "@web3-storage/data-segment";

/** Pieces of other people's before and after the one that is proved, all of its size. */
const OTHERS = { before: 5, after: 2 };

/** Padded bytes of the smallest aggregate that is made, 64 MiB, and how many pieces of one size a larger one holds. */
const SMALLEST_AGGREGATE = 2n ** 26n;
const PIECES_PER_AGGREGATE = 16n;

/** A Merkle path on the wire: hashes and index are hex. */
interface MerklePath {
  index: string;
  path: string[];
}

/** A proof of inclusion as the API host words it (FRC-0058). */
interface InclusionProof {
  verifierData: { commPc: string; sizePc: string };
  inclusionProof: { proofIndex: MerklePath; proofSubtree: MerklePath };
  indexRecord: { checksum: string; proofIndex: string; proofSubtree: number; size: number };
}

/** Where a piece is among others in the data of one deal, with the proof. */
export interface Inclusion {
  /** Piece id of the aggregate: what the deal is about. */
  aggregateCid: string;
  /** Padded bytes of the aggregate. */
  aggregateSize: number;
  proof: InclusionProof;
}

/** Puts a piece into an aggregate together with made-up ones, and proves that it is in there. */
export function includePiece({ root, height }: PieceDigest): Inclusion {
  const piece = { root, height, padding: 0n };
  const pieceSize = 2n ** BigInt(height) * 32n;
  const wanted = pieceSize * PIECES_PER_AGGREGATE;
  const size = Aggregate.Size.from(wanted > SMALLEST_AGGREGATE ? wanted : SMALLEST_AGGREGATE);
  const others = Array.from({ length: OTHERS.before + OTHERS.after }, (_, n) => ({
    ...piece,
    root: otherRoot(root, n),
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
      verifierData: { commPc: hex(Piece.toInfo(piece).link.bytes), sizePc: pieceSize.toString(16) },
      inclusionProof: { proofIndex: wordPath(index), proofSubtree: wordPath(subtree) },
      indexRecord: {
        checksum: hex(Segment.computeChecksum(record)),
        proofIndex: hex(root),
        proofSubtree: Number(record.offset),
        size: Number(record.size),
      },
    },
  };
}

function otherRoot(root: Uint8Array, n: number): MerkleTreeNode {
  const node = createHash("sha256").update(root).update(`other ${n}`).digest();
  node[31] = (node[31] ?? 0) & 0x3f;
  return Uint8Array.from(node) as MerkleTreeNode;
}

function wordPath([index, path]: ProofData): MerklePath {
  return { index: index.toString(16), path: path.map(hex) };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
