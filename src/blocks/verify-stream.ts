import { mapInOrder } from "../async/map-in-order.ts";
import { equalBytes } from "../streams/bytes.ts";
import type { FileNode } from "./decode-node.ts";
import { isPart, listSegments, type ReadBlock, type Segment } from "./file-tree.ts";
import type { StreamReader } from "./stream-reader.ts";

/** Parts that are hashed at once, while the next ones arrive. */
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

type Received = { segment: Segment; bytes: Uint8Array } | { error: unknown };

/** Yields the bytes of a file as they arrive, each part once it is verified by the tree of blocks. */
export async function* verifyStream(stream: StreamReader, check: TreeCheck): AsyncGenerator<Uint8Array> {
  const { root, from, readBlock, mismatch, truncated, signal } = check;

  async function* receive(): AsyncGenerator<Received> {
    try {
      for await (const segment of listSegments(root, { from, to: root.size }, readBlock)) {
        const bytes = await stream.take(segment.size);
        if (bytes.length < segment.size) throw truncated(segment.offset + bytes.length);
        yield { segment, bytes };
      }
      if ((await stream.peek(1)).length > 0) throw mismatch(root.size, root.size + 1);
    } catch (error) {
      // In its turn: what arrived before may be used.
      yield { error };
    }
  }

  yield* mapInOrder(receive(), { limit: PARTS_AT_ONCE, signal }, async (received) => {
    if ("error" in received) throw received.error;
    const { segment, bytes } = received;
    const isRight = "data" in segment ? equalBytes(segment.data, bytes) : await isPart(segment, bytes, readBlock);
    if (!isRight) throw mismatch(segment.offset, segment.offset + segment.size);
    return bytes;
  });
}
