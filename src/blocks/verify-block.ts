import { sha256 } from "#platform";
import { equalBytes } from "../streams/bytes.ts";
import type { BlockId } from "./block-id.ts";

/** Largest block that is read, in bytes; IPFS itself transfers no larger ones (Bitswap). */
export const MAX_BLOCK_BYTES = 2 * 1024 * 1024;

/** Whether these bytes are the block of this content id. */
export async function isBlock({ hash, digest }: BlockId, bytes: Uint8Array): Promise<boolean> {
  if (hash === "identity") return equalBytes(digest, bytes);
  return bytes.length <= MAX_BLOCK_BYTES && equalBytes(digest, await sha256(bytes));
}
