import { notAFile } from "../../base/errors/blocks.ts";
import { cidNotVerifiable } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { fromMultibase } from "../../formats/cid/multibase.ts";
import { type BlockId, formatBlockId, readBlockId } from "./block-id.ts";
import { type Gateways, openGateways } from "./gateways.ts";
import { createByteCache } from "./lru.ts";
import type { FileSource } from "./read-file.ts";
import { resolvePath } from "./resolve-path.ts";

/** Bytes of the file that are kept for the next read. */
const CACHE_BYTES = 10 * 1024 * 1024;

/** Bytes of blocks that lead to parts of the file, apart from these, so that a stream does not displace them. */
const NODE_CACHE_BYTES = 2 * 1024 * 1024;

/** Parses a content id; returns `undefined` for one that is not of SHA-256 over UnixFS. */
export function parseBlockId(cid: string): BlockId | undefined {
  const decoded = fromMultibase(cid);
  return decoded && readBlockId(decoded.bytes);
}

/** Finds a file and reads its root block. */
export async function findFile(
  cid: string,
  path: string,
  call: ResolvedCall,
  gateways: Gateways = openGateways(call),
): Promise<FileSource> {
  const id = parseBlockId(cid);
  if (!id) throw cidNotVerifiable(cid);
  const cache = createByteCache(CACHE_BYTES);
  const readBlock = createBlockReader(gateways);
  const found = await resolvePath(id, path, (below) => readBlock(below, call.signal));
  if (found.node.kind !== "file") throw notAFile(formatBlockId(found.id));
  return { file: formatBlockId(found.id), root: found.node, gateways, readBlock, cache };
}

/** Reads blocks from gateways, verified, and keeps some of them. */
export function createBlockReader(gateways: Gateways): FileSource["readBlock"] {
  const nodes = createByteCache(NODE_CACHE_BYTES);
  return async (id, signal) => {
    if (id.hash === "identity") return id.digest;
    const key = formatBlockId(id);
    const cached = nodes.get(key);
    if (cached) return cached;
    const block = await gateways.use((gateway, end) => gateway.fetchBlock(id, end), signal);
    nodes.set(key, block);
    return block;
  };
}
