import type { PieceDigest } from "@web3-storage/data-segment";
import { create } from "@web3-storage/data-segment/multihash";

/** Computes the piece of some bytes (CommP), as storage providers seal it. Holds one chunk at a time. */
export async function computePiece(content: AsyncIterable<Uint8Array>): Promise<PieceDigest> {
  const hasher = create();
  for await (const chunk of content) hasher.write(chunk);
  return hasher.digest();
}
