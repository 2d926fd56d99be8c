import { fromMultibase } from "../cid/multibase.ts";
import { notAFile } from "../errors/blocks.ts";
import { cidNotVerifiable } from "../errors/verification.ts";
import { type BlockId, formatBlockId, readBlockId } from "./block-id.ts";
import { openGateways } from "./gateways.ts";
import { createByteCache } from "./lru.ts";
import type { ReadCall } from "./read-call.ts";
import type { FileSource } from "./read-file.ts";
import { resolvePath } from "./resolve-path.ts";

/** Bytes of blocks that are kept for the next read. */
const CACHE_BYTES = 12 * 1024 * 1024;

/** Finds a file and reads its root block. */
export async function findFile(cid: string, names: readonly string[], call: ReadCall): Promise<FileSource> {
  const decoded = fromMultibase(cid);
  const id = decoded && readBlockId(decoded.bytes);
  if (!id) throw cidNotVerifiable(cid);
  const gateways = openGateways(call);
  const cache = createByteCache(CACHE_BYTES);

  async function readBlock(id: BlockId, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (id.hash === "identity") return id.digest;
    const key = `block ${formatBlockId(id)}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const block = await gateways.use((gateway, end) => gateway.fetchBlock(id, end), signal);
    cache.set(key, block);
    return block;
  }

  const found = await resolvePath(id, names, (below) => readBlock(below, call.signal));
  if (found.node.kind !== "file") throw notAFile(formatBlockId(found.id));
  return { file: formatBlockId(found.id), root: found.node, gateways, readBlock, cache };
}
