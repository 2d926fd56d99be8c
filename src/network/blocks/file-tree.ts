import { throwIfAborted } from "../../base/async/abort.ts";
import { malformedFile } from "../../base/errors/content.ts";
import { concatBytes, countBytes, equalBytes } from "../../base/streams/bytes.ts";
import { encodeLeafFrame } from "../../formats/cid/unixfs.ts";
import { type BlockId, formatBlockId, isBlock, isDigest, MAX_BLOCK_BYTES } from "./block-id.ts";
import { decodeNode, type FileNode, type FilePart } from "./decode-node.ts";
import type { StreamReader } from "./stream-reader.ts";

/** Fetches a block, verified. */
export type ReadBlock = (id: BlockId) => Promise<Uint8Array>;

/** Bytes of a file that are read at once: known already, or those of a part of at most {@link MAX_BLOCK_BYTES}. */
export type Segment = { offset: number; size: number } & ({ data: Uint8Array } | { id: BlockId });

/** Deeper trees than any implementation builds. */
const MAX_DEPTH = 64;

/**
 * Lists the segments of a file that contain bytes `from` to `to` (exclusive), in order. Reads only the blocks that lead
 * to them.
 *
 * @throws `INVALID_RESPONSE` for a malformed file; what `readBlock` throws
 */
export function listSegments(
  root: FileNode,
  { from, to }: { from: number; to: number },
  readBlock: ReadBlock,
): AsyncGenerator<Segment> {
  async function* list(node: FileNode, start: number, depth: number): AsyncGenerator<Segment> {
    let offset = start;
    if (node.data.length > 0 && offset < to && offset + node.data.length > from) {
      yield { offset, size: node.data.length, data: node.data };
    }
    offset += node.data.length;
    for (const part of node.parts) {
      if (offset >= to) return;
      const end = offset + part.size;
      if (end > from && part.size > 0) {
        if (part.size <= MAX_BLOCK_BYTES) yield { offset, size: part.size, id: part.id };
        else yield* list(await readPartNode(part, readBlock, depth), offset, depth + 1);
      }
      offset = end;
    }
  }
  return list(root, 0, 0);
}

/**
 * Reads the content of a part of at most {@link MAX_BLOCK_BYTES} by its blocks.
 *
 * @throws as {@link listSegments}
 */
export async function readPart(part: FilePart, readBlock: ReadBlock, depth = 0): Promise<Uint8Array> {
  const { data, parts } = await readPartNode(part, readBlock, depth);
  if (parts.length === 0) return data;
  const contents: Uint8Array[] = [data];
  for (const below of parts) if (below.size > 0) contents.push(await readPart(below, readBlock, depth + 1));
  return concatBytes(contents);
}

/**
 * Whether these bytes are the content of a part. A part that is one block as Kubo makes it is verified without fetching
 * that block.
 *
 * @throws as {@link listSegments}
 */
export async function isPart(part: FilePart, bytes: Uint8Array, readBlock: ReadBlock, depth = 0): Promise<boolean> {
  if (bytes.length !== part.size) return false;
  return (await isLeaf(part.id, [bytes])) || isTree(part, bytes, readBlock, depth);
}

/** Whether these bytes are the content of a part that is not one block as Kubo makes it. */
async function isTree(part: FilePart, bytes: Uint8Array, readBlock: ReadBlock, depth = 0): Promise<boolean> {
  if (part.id.codec === "raw") return false;
  const { data, parts } = await readPartNode(part, readBlock, depth);
  let at = data.length;
  if (!equalBytes(data, bytes.subarray(0, at))) return false;
  for (const below of parts) {
    if (below.size === 0) continue;
    if (!(await isPart(below, bytes.subarray(at, at + below.size), readBlock, depth + 1))) return false;
    at += below.size;
  }
  return true;
}

/** Whether these bytes, in parts, are the content of a single block without links, as Kubo makes it. */
export function isLeaf(id: BlockId, bytes: readonly Uint8Array[]): boolean | Promise<boolean> {
  if (id.codec === "raw") return isBlock(id, bytes);
  const { head, foot } = encodeLeafFrame(countBytes(bytes));
  return id.hash === "sha2-256" && isDigest(id.digest, [Uint8Array.from(head), ...bytes, Uint8Array.from(foot)]);
}

async function readPartNode({ id, size }: FilePart, readBlock: ReadBlock, depth: number): Promise<FileNode> {
  if (depth > MAX_DEPTH) throw malformedFile(formatBlockId(id), "it is nested too deeply");
  const node = decodeNode(id.codec, await readBlock(id));
  if (node?.kind !== "file") throw malformedFile(formatBlockId(id), "a part of it is not part of a file");
  if (node.size !== size) throw malformedFile(formatBlockId(id), "a part of it has another size than stated");
  return node;
}

/** Parts that are hashed at once by other threads, while the next ones arrive. */
const PARTS_AT_ONCE = 8;

/** A stream of a file's bytes, and the tree that they have to fit. */
interface TreeCheck {
  root: FileNode;
  /** Position of the stream's first byte: where a part starts. */
  from: number;
  readBlock: ReadBlock;
  /** The error for bytes that are not those of the file. */
  mismatch: (from: number, to: number) => Error;
  /** The error for a stream that ends at a position before the end of the file. */
  truncated: (at: number) => Error;
  /** Receives the bytes in order, each part once it is verified. */
  release: (chunk: Uint8Array) => Promise<void>;
  signal: AbortSignal | undefined;
}

/** A part of the file as it arrived, and whether its bytes are right. */
interface Received {
  segment: Segment;
  chunks: readonly Uint8Array[];
  isRight: boolean | Promise<boolean>;
}

/** Releases the bytes of a file as they arrive, each part once it is verified by the tree of blocks. */
export async function verifyStream(stream: StreamReader, check: TreeCheck): Promise<void> {
  const { root, from, readBlock, mismatch, truncated, release, signal } = check;
  const segments = listSegments(root, { from, to: root.size }, readBlock);
  const waiting: Received[] = [];

  /** Receives the next part; `undefined` at the end of the file. */
  async function receive(): Promise<Received | undefined> {
    const { done, value: segment } = await segments.next();
    if (done) {
      if ((await stream.peek(1)).length > 0) throw mismatch(root.size, root.size + 1);
      return undefined;
    }
    const chunks = await stream.takeChunks(segment.size);
    const size = countBytes(chunks);
    if (size < segment.size) throw truncated(segment.offset + size);
    return { segment, chunks, isRight: checkPart(segment, chunks, readBlock) };
  }

  /** Releases the oldest part; throws if it is wrong. */
  async function releaseOldest(): Promise<void> {
    const { segment, chunks, isRight } = waiting.shift() as Received;
    throwIfAborted(signal);
    if (!(await isRight)) throw mismatch(segment.offset, segment.offset + segment.size);
    for (const chunk of chunks) await release(chunk);
  }

  for (;;) {
    const received = await receive().catch((error: unknown) => ({ error }));
    const isPart = received !== undefined && "segment" in received;
    if (isPart) waiting.push(received);
    // A page hashes several at once; in Node each is hashed when it has arrived.
    const limit = isPart && typeof received.isRight !== "boolean" ? PARTS_AT_ONCE : 1;
    while (waiting.length >= limit) await releaseOldest();
    if (isPart) continue;
    // In its turn: what arrived before may be used.
    if (received) throw received.error;
    return;
  }
}

function checkPart(segment: Segment, chunks: readonly Uint8Array[], readBlock: ReadBlock): boolean | Promise<boolean> {
  if ("data" in segment) return equalBytes(segment.data, concatBytes(chunks));
  const leaf = isLeaf(segment.id, chunks);
  if (leaf === true) return true;
  const result = Promise.resolve(leaf).then((is) => is || isTree(segment, concatBytes(chunks), readBlock));
  // It may fail before its turn.
  result.catch(() => undefined);
  return result;
}
