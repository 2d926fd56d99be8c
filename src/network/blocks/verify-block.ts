import { sha256 } from "#platform";
import { concatBytes, equalBytes } from "../../base/streams/bytes.ts";
import type { BlockId } from "./block-id.ts";

/** Largest block that is read, in bytes; IPFS itself transfers no larger ones (Bitswap). */
export const MAX_BLOCK_BYTES = 2 * 1024 * 1024;

/** Whether these bytes, in parts, are the block of this content id. Resolved at once if the runtime hashes at once. */
export function isBlock({ hash, digest }: BlockId, parts: readonly Uint8Array[]): boolean | Promise<boolean> {
  if (hash === "identity") return equalBytes(digest, concatBytes(parts));
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  return size <= MAX_BLOCK_BYTES && isDigest(digest, parts);
}

/** Whether this is the SHA-256 of all parts in order. */
export function isDigest(digest: Uint8Array, parts: readonly Uint8Array[]): boolean | Promise<boolean> {
  const got = sha256(...parts);
  return got instanceof Uint8Array ? equalBytes(digest, got) : got.then((bytes) => equalBytes(digest, bytes));
}
