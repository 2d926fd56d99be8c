import { MemoryBlockstore } from "blockstore-core";
import { importer } from "ipfs-unixfs-importer";
import { fixedSize, rabin } from "ipfs-unixfs-importer/chunker";
import { balanced, trickle } from "ipfs-unixfs-importer/layout";

/** A file or folder as some client of the network stores it. */
export interface Tree {
  cid: string;
  blocks: MemoryBlockstore;
}

type Shape = NonNullable<Parameters<typeof importer>[2]>;

const small = (options: Shape = {}): Shape => ({
  chunker: fixedSize({ chunkSize: 262_144 }),
  layout: balanced({ maxChildrenPerNode: 174 }),
  cidVersion: 1,
  rawLeaves: true,
  ...options,
});

/** How files are split by the clients in use. */
export const shapes: Readonly<Record<string, Shape>> = {
  "256 KiB, version 1": small(),
  "256 KiB, version 0": small({ cidVersion: 0, rawLeaves: false }),
  "1 MiB, 1,024 links": small({
    chunker: fixedSize({ chunkSize: 1_048_576 }),
    layout: balanced({ maxChildrenPerNode: 1024 }),
  }),
  "three levels of small blocks": small({
    chunker: fixedSize({ chunkSize: 16_384 }),
    layout: balanced({ maxChildrenPerNode: 8 }),
  }),
  rabin: small({ chunker: rabin({ minChunkSize: 16_384, avgChunkSize: 65_536, maxChunkSize: 262_144 }) }),
  trickle: small({
    layout: trickle({ layerRepeat: 4, maxChildrenPerNode: 8 }),
    chunker: fixedSize({ chunkSize: 65_536 }),
  }),
  "dag-pb leaves, version 1": small({ rawLeaves: false, leafType: "raw" }),
};

/** Stores a file. */
export async function storeFile(content: Uint8Array, shape: Shape = small()): Promise<Tree> {
  return store([{ path: "", content }], { ...shape, wrapWithDirectory: false });
}

/** Stores files in a folder, sharded if it is larger than `shardBytes`. */
export async function storeFolder(
  files: Readonly<Record<string, Uint8Array>>,
  { shardBytes = 262_144 }: { shardBytes?: number } = {},
): Promise<Tree> {
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
  return store(entries, { ...small(), wrapWithDirectory: true, shardSplitThresholdBytes: shardBytes });
}

async function store(entries: { path: string; content: Uint8Array }[], shape: Shape): Promise<Tree> {
  const blocks = new MemoryBlockstore();
  let cid = "";
  for await (const entry of importer(entries, blocks, shape)) cid = entry.cid.toString();
  return { cid, blocks };
}

/** Bytes without a pattern, the same for the same seed. */
export function makeBytes(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
