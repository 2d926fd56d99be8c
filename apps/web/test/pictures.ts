import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

type Colour = readonly [red: number, green: number, blue: number];

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function createPng(width: number, height: number, format: readonly [bits: number, colours: number], pixels: Buffer) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(format, 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    toChunk("IHDR", head),
    toChunk("IDAT", deflateSync(pixels)),
    toChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PNG of one colour, in whose rows `noise` is repeated, so that its bytes are found nowhere else. */
export function createPicture([red, green, blue]: Colour, noise = ""): Buffer {
  const [width, height] = [640, 480];
  const pixels = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y++) {
    const seed = createHash("sha512").update(`${noise} ${y}`).digest();
    for (let x = 0; x < width; x++) {
      const change = noise === "" ? 0 : (seed[x % 64] ?? 0) % 32;
      pixels.set([red ^ change, green ^ change, blue ^ change], y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  return createPng(width, height, [8, 2], pixels);
}

/** A camera's note (EXIF) that a picture is to be turned by 90 degrees. */
const orientation = "ffe10022 457869660000 4d4d002a00000008 0001 01120003 00000001 00060000 00000000";

/** Adds that note to a JPEG. */
export function turn(jpeg: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from(orientation.replaceAll(" ", ""), "hex"), jpeg.subarray(2)]);
}

/** A black PNG of one bit for each pixel; it may state a larger size than it has pixels for. */
export function createBomb(edge: number, rows = edge): Buffer {
  return createPng(edge, edge, [1, 0], Buffer.alloc(rows * (1 + Math.ceil(edge / 8))));
}
