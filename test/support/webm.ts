import { concatBytes } from "../../src/base/streams/bytes.ts";

// A film of any length and size, without an encoder at hand: WebM (RFC 9559) with a cluster for each second, in which the
// same key frame is repeated, padded to the same size, and an index of all clusters at the start.

/** A film, to be generated from its start. */
export interface Film {
  /** In bytes. */
  size: number;
  seconds: number;
  chunks(): Generator<Uint8Array<ArrayBuffer>>;
}

/**
 * @param frames - VP8 key frames; second n shows number n modulo their count
 * @param clusterBytes - of the file, for each second
 */
export function createFilm(
  frames: readonly Uint8Array[],
  { seconds, clusterBytes, width, height }: { seconds: number; clusterBytes: number; width: number; height: number },
): Film {
  const info = element(
    "1549a966",
    uint("2ad7b1", 1_000_000),
    double("4489", seconds * 1000),
    text("4d80", "keeplight"),
    text("5741", "keeplight"),
  );
  const video = element("e0", uint("b0", width), uint("ba", height));
  const track = element("ae", uint("d7", 1), uint("73c5", 1), uint("83", 1), text("86", "V_VP8"), video);
  const before = concatBytes([info, element("1654ae6b", track)]);
  const index = (start: number) =>
    element("1c53bb6b", ...Array.from({ length: seconds }, (_, at) => cue(at, start + at * clusterBytes)));
  const head = concatBytes([before, index(before.length + index(0).length)]);
  const segmentBytes = head.length + seconds * clusterBytes;
  const start = concatBytes([ebmlHeader(), Uint8Array.from([...hex("18538067"), ...sizeOf(segmentBytes)]), head]);

  return {
    size: start.length + seconds * clusterBytes,
    seconds,
    *chunks() {
      yield start;
      for (let at = 0; at < seconds; at++)
        yield cluster(at, frames[at % frames.length] ?? new Uint8Array(0), clusterBytes);
    },
  };
}

/** Pictures a second. */
const RATE = 25;

function cluster(second: number, frame: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const room = bytes - uint("e7", 0).length - 4 - SIZE_BYTES;
  const content = Array.from({ length: RATE }, (_, at) => {
    const block = element("a3", Uint8Array.of(0x81, ...int16((at * 1000) / RATE), 0x80), frame);
    const end = Math.floor(((at + 1) * room) / RATE) - Math.floor((at * room) / RATE);
    return [block, padding(end - block.length, second * RATE + at)];
  });
  return element("1f43b675", uint("e7", second * 1000), ...content.flat());
}

/** Not zeros, which would be compressed or deduplicated somewhere on the way. */
function padding(bytes: number, seed: number): Uint8Array {
  if (bytes < 5 + SIZE_BYTES) throw new RangeError("a frame is larger than its part of a cluster");
  const filler = new Uint8Array(bytes - 1 - SIZE_BYTES).fill(seed & 0xff);
  new DataView(filler.buffer).setUint32(0, seed);
  return element("ec", filler);
}

const int16 = (value: number) => [value >> 8, value & 0xff];

function cue(second: number, position: number): Uint8Array {
  return element("bb", uint("b3", second * 1000), element("b7", uint("f7", 1), uint("f1", position)));
}

function ebmlHeader(): Uint8Array {
  const versions = [uint("4286", 1), uint("42f7", 1), uint("42f2", 4), uint("42f3", 8)];
  return element("1a45dfa3", ...versions, text("4282", "webm"), uint("4287", 2), uint("4285", 2));
}

/** Bytes of every size, so that positions do not depend on what is there. */
const SIZE_BYTES = 8;

function element(id: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concatBytes(parts);
  return concatBytes([hex(id), sizeOf(content.length), content]);
}

function sizeOf(bytes: number): Uint8Array {
  const size = new Uint8Array(SIZE_BYTES);
  new DataView(size.buffer).setBigUint64(0, BigInt(bytes) | (1n << 56n));
  return size;
}

function uint(id: string, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return element(id, bytes);
}

function double(id: string, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, bytes);
}

const text = (id: string, value: string) => element(id, new TextEncoder().encode(value));

const hex = (digits: string) => Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
