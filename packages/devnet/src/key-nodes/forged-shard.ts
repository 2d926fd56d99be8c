import { randomBytes } from "node:crypto";
import type { Shard } from "./shard-store.ts";

/** Creates a wrong shard with the same index that is indistinguishable by its format. */
export function forgeShard({ key, index }: Shard): Shard {
  const bytes = randomBytes(Math.ceil(key.length / 2));
  // keeps a 32-byte key below the order of every scalar field in use
  bytes[0] = (bytes[0] ?? 0) & 0x3f;
  return { key: bytes.toString("hex").slice(0, key.length), index };
}
