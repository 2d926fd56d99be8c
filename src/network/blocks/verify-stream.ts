import { throwIfAborted } from "../../base/async/abort.ts";
import { concatBytes, equalBytes } from "../../base/streams/bytes.ts";
import type { FileNode } from "./decode-node.ts";
import { isLeaf, isTree, listSegments, type ReadBlock, type Segment } from "./file-tree.ts";
import type { StreamReader } from "./stream-reader.ts";

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
  signal: AbortSignal | undefined;
}

/** A part of the file as it arrived, and whether its bytes are right. */
interface Received {
  segment: Segment;
  chunks: readonly Uint8Array[];
  isRight: boolean | Promise<boolean>;
}

/** Yields the bytes of a file as they arrive, each part once it is verified by the tree of blocks. */
export async function* verifyStream(stream: StreamReader, check: TreeCheck): AsyncGenerator<Uint8Array> {
  const { root, from, readBlock, mismatch, truncated, signal } = check;
  const waiting: Received[] = [];

  /** Takes the oldest part; throws if it is wrong. */
  async function takeRight(): Promise<readonly Uint8Array[]> {
    const { segment, chunks, isRight } = waiting.shift() as Received;
    throwIfAborted(signal);
    if (!(await isRight)) throw mismatch(segment.offset, segment.offset + segment.size);
    return chunks;
  }

  async function* receive(): AsyncGenerator<Received> {
    for await (const segment of listSegments(root, { from, to: root.size }, readBlock)) {
      const chunks = await stream.takeChunks(segment.size);
      const size = chunks.reduce((sum, { length }) => sum + length, 0);
      if (size < segment.size) throw truncated(segment.offset + size);
      yield { segment, chunks, isRight: checkPart(segment, chunks, readBlock) };
    }
    if ((await stream.peek(1)).length > 0) throw mismatch(root.size, root.size + 1);
  }

  const arriving = receive();
  try {
    for (;;) {
      const next = await arriving.next().catch((error: unknown) => ({ error }));
      const isOver = "error" in next || next.done;
      if (!isOver) waiting.push(next.value);
      // A page hashes several at once; in Node each is hashed when it has arrived.
      const limit = isOver || isHashed(next.value) ? 1 : PARTS_AT_ONCE;
      while (waiting.length >= limit) for (const chunk of await takeRight()) yield chunk;
      // In its turn: what arrived before may be used.
      if ("error" in next) throw next.error;
      if (isOver) return;
    }
  } finally {
    void arriving.return(undefined).catch(() => undefined);
  }
}

const isHashed = ({ isRight }: Received) => typeof isRight === "boolean";

function checkPart(segment: Segment, chunks: readonly Uint8Array[], readBlock: ReadBlock): boolean | Promise<boolean> {
  if ("data" in segment) return equalBytes(segment.data, concatBytes(chunks));
  const leaf = isLeaf(segment.id, chunks);
  if (leaf === true) return true;
  const result = Promise.resolve(leaf).then((is) => is || isTree(segment, concatBytes(chunks), readBlock));
  // It may fail before its turn.
  result.catch(() => undefined);
  return result;
}
