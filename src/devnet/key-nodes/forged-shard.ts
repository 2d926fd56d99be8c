import { randomBytes } from "node:crypto";
import type { Shard } from "./shard-store.ts";

/** Another shard at the same index that nothing about its looks gives away. */
export function forge({ key, index }: Shard): Shard {
  const bytes = randomBytes(Math.ceil(key.length / 2));
  // keeps a key of 32 bytes below the order of every scalar field in use
  bytes[0] = (bytes[0] ?? 0) & 0x3f;
  return { key: bytes.toString("hex").slice(0, key.length), index };
}
