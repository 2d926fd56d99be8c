import type { RequestFacts } from "../../base/errors/facts.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import { type BlockId, readBlockId } from "./block-id.ts";
import { createStreamReader, type StreamReader } from "./stream-reader.ts";
import { readVarint } from "./varint.ts";
import { MAX_BLOCK_BYTES } from "./verify-block.ts";

/** A block as an archive states it: not verified. */
export interface CarBlock {
  /** `undefined` for a block of a kind that this kit does not read. */
  id: BlockId | undefined;
  bytes: Uint8Array;
}

/** Longest header, in bytes: its roots are content ids. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Longest content id, in bytes. */
const MAX_ID_BYTES = 160;

const MAX_VARINT_BYTES = 8;

/**
 * Reads the blocks of a CARv1 archive as they arrive (https://ipld.io/specs/transport/car/carv1/). An archive may have no
 * end.
 *
 * @throws `INVALID_RESPONSE` for an archive that is malformed or ends early, and for a block that is too large
 */
export async function* readCar(chunks: AsyncIterable<Uint8Array>, facts: RequestFacts): AsyncGenerator<CarBlock> {
  const malformed = (problem: string) => invalidResponse(facts, `The archive is malformed: ${problem}`);
  const stream = createStreamReader(chunks);
  const header = await readSection(stream, MAX_HEADER_BYTES, malformed);
  if (!header) throw malformed("it is empty");
  for (;;) {
    const section = await readSection(stream, MAX_ID_BYTES + MAX_BLOCK_BYTES, malformed);
    if (!section) return;
    const idBytes = measureId(section);
    if (idBytes === undefined) throw malformed("a content id is malformed");
    yield { id: readBlockId(section.subarray(0, idBytes)), bytes: section.subarray(idBytes) };
  }
}

/** Finds where the content id at the start of a section ends. */
function measureId(section: Uint8Array): number | undefined {
  if (section[0] === 0x12 && section[1] === 0x20) return 34;
  let at = 0;
  for (const _ of ["version", "codec", "hash"]) {
    const field = readVarint(section, at);
    if (!field) return undefined;
    at = field.end;
  }
  const length = readVarint(section, at);
  return length && length.end + length.value;
}

/** Reads the next section without its length; `undefined` at the end. */
async function readSection(
  stream: StreamReader,
  maxBytes: number,
  malformed: (problem: string) => Error,
): Promise<Uint8Array | undefined> {
  const start = await stream.peek(MAX_VARINT_BYTES);
  if (start.length === 0) return undefined;
  const length = readVarint(start, 0);
  if (!length) throw malformed("it ends early");
  if (length.value > maxBytes) throw malformed("a block is too large");
  await stream.take(length.end);
  const section = await stream.take(length.value);
  if (section.length < length.value) throw malformed("it ends early");
  return section;
}
