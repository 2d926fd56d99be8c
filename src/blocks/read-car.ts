import type { RequestFacts } from "../errors/facts.ts";
import { invalidResponse } from "../errors/transport.ts";
import { concatBytes } from "../streams/bytes.ts";
import { type BlockId, readBlockId } from "./block-id.ts";
import { readVarint } from "./varint.ts";
import { MAX_BLOCK_BYTES } from "./verify-block.ts";

/** A block as an archive states it: not verified. */
export interface CarBlock {
  id: BlockId;
  bytes: Uint8Array;
}

/** Longest header, in bytes: its roots are content ids. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Longest content id, in bytes. */
const MAX_ID_BYTES = 160;

const MAX_VARINT_BYTES = 8;

/**
 * Reads the blocks of a CARv1 archive as they arrive (https://ipld.io/specs/transport/car/carv1/). Blocks of kinds that
 * this kit does not read are left out.
 *
 * @throws `INVALID_RESPONSE` for an archive that is malformed or ends early, and for a block that is too large
 */
export async function* readCar(chunks: AsyncIterable<Uint8Array>, facts: RequestFacts): AsyncGenerator<CarBlock> {
  const malformed = (problem: string) => invalidResponse(facts, `The archive is malformed: ${problem}`);
  const reader = createReader(chunks, malformed);
  const header = await reader.section(MAX_HEADER_BYTES);
  if (!header) throw malformed("it is empty");
  for (;;) {
    const section = await reader.section(MAX_ID_BYTES + MAX_BLOCK_BYTES);
    if (!section) return;
    const idBytes = measureId(section);
    if (idBytes === undefined) throw malformed("a content id is malformed");
    const id = readBlockId(section.subarray(0, idBytes));
    if (id) yield { id, bytes: section.subarray(idBytes) };
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

function createReader(chunks: AsyncIterable<Uint8Array>, malformed: (problem: string) => Error) {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);

  /** Holds at least `size` bytes, unless the archive ends before. */
  async function fill(size: number): Promise<void> {
    const parts = [held];
    let total = held.length;
    while (total < size) {
      const { done, value } = await iterator.next();
      if (done) break;
      parts.push(value);
      total += value.length;
    }
    if (parts.length > 1) held = concatBytes(parts);
  }

  return {
    /** Returns the next section without its length; `undefined` at the end. */
    async section(maxBytes: number): Promise<Uint8Array | undefined> {
      await fill(MAX_VARINT_BYTES);
      if (held.length === 0) return undefined;
      const length = readVarint(held, 0);
      if (!length) throw malformed("it ends early");
      if (length.value > maxBytes) throw malformed("a block is too large");
      const end = length.end + length.value;
      await fill(end);
      if (held.length < end) throw malformed("it ends early");
      const section = held.subarray(length.end, end);
      held = held.subarray(end);
      return section;
    },
  };
}
