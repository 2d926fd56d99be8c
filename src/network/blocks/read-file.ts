import { mapInOrder } from "../../base/async/parallel.ts";
import { blockMismatch, notAFile } from "../../base/errors/content.ts";
import { cidNotVerifiable } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { fromMultibase } from "../../formats/cid/content-id.ts";
import { type BlockId, formatBlockId, readBlockId } from "./block-id.ts";
import type { FileNode } from "./decode-node.ts";
import { isPart, listSegments, type ReadBlock, readPart, type Segment } from "./file-tree.ts";
import type { Gateway } from "./gateway.ts";
import { type Gateways, openGateways } from "./gateways.ts";
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

/**
 * Bytes requested at once, unless a single part is larger: few at first, because nothing of a window is yielded before all
 * of it has arrived, then twice as many each time.
 */
const FIRST_WINDOW_BYTES = 256 * 1024;
const WINDOW_BYTES = 2 * 1024 * 1024;

/** Windows that are fetched at once. */
const WINDOWS_AT_ONCE = 4;

/** Blocks of a window that are fetched at once. */
const BLOCKS_AT_ONCE = 8;

/** Where a file's blocks and bytes come from. */
export interface FileSource {
  /** Content id of the file, version 1. */
  file: string;
  root: FileNode;
  gateways: Gateways;
  readBlock: (id: BlockId, signal: AbortSignal | undefined) => Promise<Uint8Array>;
  /** Contents of parts, by content id. */
  cache: ByteCache;
}

/** Parts that follow each other. */
type Window = Part[];
type Part = { offset: number; size: number; id: BlockId };

/**
 * Yields bytes `from` to `to` (exclusive) of a file in order, each verified before it is yielded, while the next ones are
 * fetched.
 *
 * @throws what {@link Gateways.use} throws
 */
export async function* readFile(
  source: FileSource,
  { from, to }: { from: number; to: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const readBlock: ReadBlock = (id) => source.readBlock(id, signal);
  const segments = listSegments(source.root, { from, to }, readBlock);
  const options = { limit: WINDOWS_AT_ONCE, signal };
  const fetched = mapInOrder(group(segments, source.cache), options, async (window, end) =>
    "data" in window ? [window] : fetchWindow(source, window, end),
  );
  for await (const contents of fetched) {
    for (const { offset, data } of contents) {
      const bytes = data.subarray(Math.max(0, from - offset), Math.max(0, to - offset));
      if (bytes.length > 0) yield bytes;
    }
  }
}

interface Content {
  offset: number;
  data: Uint8Array;
}

/** Groups the parts to fetch into windows; content that is known already stays by itself. */
async function* group(segments: AsyncIterable<Segment>, cache: ByteCache): AsyncGenerator<Window | Content> {
  let window: Window = [];
  let bytes = 0;
  let limit = FIRST_WINDOW_BYTES;
  for await (const segment of segments) {
    const kept = "data" in segment ? segment.data : cache.get(formatBlockId(segment.id));
    // A malformed file may state another size for the same part elsewhere.
    const data = kept?.length === segment.size ? kept : undefined;
    if (window.length > 0 && (data || bytes + segment.size > limit)) {
      yield window;
      limit = Math.min(2 * limit, WINDOW_BYTES);
      window = [];
      bytes = 0;
    }
    if (data) yield { offset: segment.offset, data };
    else if ("id" in segment) {
      window.push(segment);
      bytes += segment.size;
    }
  }
  if (window.length > 0) yield window;
}

async function fetchWindow(source: FileSource, window: Window, signal: AbortSignal): Promise<Content[]> {
  const contents = await source.gateways.use((gateway, end) => fetchFrom(gateway, source, window, end), signal);
  return window.map(({ id, offset }, at) => {
    const data = contents[at] ?? new Uint8Array(0);
    source.cache.set(formatBlockId(id), data);
    return { offset, data };
  });
}

/** Fetches the contents of parts from one gateway, in one request if it sends ranges. */
async function fetchFrom(
  gateway: Gateway,
  source: FileSource,
  window: Window,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const [first, ...others] = window;
  const last = others.at(-1) ?? first;
  if (!first || !last) return [];
  const { facts } = gateway;
  if (facts.offersRanges !== false && (others.length > 0 || facts.offersRaw === false)) {
    const bytes = await gateway.fetchRange(source.file, first.offset, last.offset + last.size, signal);
    if (bytes) return verifyParts(gateway, source, window, bytes, signal);
  }
  const blocks = await gateway.fetchBlocks(source.file, first.offset, last.offset + last.size, signal);
  const contents: Uint8Array[] = [];
  const read = mapInOrder(window, { limit: BLOCKS_AT_ONCE, signal }, (part, end) =>
    readPart(part, async (id) => blocks.get(formatBlockId(id)) ?? (await gateway.fetchBlock(id, end))),
  );
  for await (const content of read) contents.push(content);
  return contents;
}

async function verifyParts(
  gateway: Gateway,
  { readBlock }: FileSource,
  window: Window,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const start = window[0]?.offset ?? 0;
  return Promise.all(
    window.map(async (part) => {
      const content = bytes.subarray(part.offset - start, part.offset - start + part.size);
      if (await isPart(part, content, (id) => readBlock(id, signal))) return content;
      throw blockMismatch(formatBlockId(part.id), gateway.url);
    }),
  );
}

type ByteCache = ReturnType<typeof createByteCache>;

/** Keeps bytes by key, the most recently used ones, up to a total size. */
function createByteCache(maxBytes: number) {
  // A Map keeps the order of insertion.
  const entries = new Map<string, Uint8Array>();
  let total = 0;

  function take(key: string): Uint8Array | undefined {
    const value = entries.get(key);
    total -= value?.length ?? 0;
    entries.delete(key);
    return value;
  }

  function set(key: string, value: Uint8Array): void {
    take(key);
    entries.set(key, value);
    total += value.length;
    for (const oldest of entries.keys()) {
      if (total <= maxBytes) break;
      take(oldest);
    }
  }

  return {
    set,
    get(key: string): Uint8Array | undefined {
      const value = take(key);
      if (value) set(key, value);
      return value;
    },
  };
}
