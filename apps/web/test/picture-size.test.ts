import { expect, test } from "vitest";
import { chooseSecond } from "../src/thumbnails/choose-second.ts";
import { fitThumbnail } from "../src/thumbnails/encode-thumbnail.ts";
import { isFilm } from "../src/thumbnails/film-frame.ts";
import { isDecodable, readPictureSize } from "../src/thumbnails/picture-size.ts";
import { createBomb, createPicture } from "./pictures.ts";

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const ascii = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));

/** The first bytes of a picture of 300 by 200 pixels, as encoders write them. */
const heads: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  PNG: hex("89504e470d0a1a0a 0000000d 49484452 0000012c 000000c8 0802000000"),
  GIF: hex("474946383961 2c01 c800 800000 000000ffffff 21f904 00000000 00 2c 00000000 2c01 c800 00"),
  "lossy WebP": hex("52494646 24000000 57454250 56503820 18000000 300100 9d012a 2c01 c800"),
  "lossless WebP": hex("52494646 24000000 57454250 5650384c 18000000 2f 2bc13100"),
  "extended WebP": hex("52494646 24000000 57454250 56503858 0a000000 10000000 2b0100 c70000"),
  JPEG: hex("ffd8 ffe00004 0102 ffff ffe10006 ffc0ffc0 ffc4 0003 00 ffc2 0011 08 00c8 012c 03"),
};

test.each(Object.keys(heads))("the size of a %s is read from its first bytes", (kind) => {
  expect(readPictureSize(heads[kind] ?? hex(""))).toEqual({ width: 300, height: 200 });
});

test.each(Object.keys(heads))("a %s that ends anywhere in its header has no size", (kind) => {
  const head = heads[kind] ?? hex("");
  const sizes = Array.from(head, (_, length) => readPictureSize(head.slice(0, length)));
  for (const size of sizes) expect([undefined, { width: 300, height: 200 }]).toContainEqual(size);
  expect(sizes[0]).toBeUndefined();
  expect(sizes[9]).toBeUndefined();
});

test("a camera's data may be larger than a picture's other headers", () => {
  const segment = Buffer.concat([hex("ffe1 ffff"), Buffer.alloc(0xfffd, 0xff)]);
  const head = heads["JPEG"] ?? hex("");
  const photo = Uint8Array.from(Buffer.concat([head.slice(0, 2), segment, segment, head.slice(2)]));
  expect(readPictureSize(photo)).toEqual({ width: 300, height: 200 });
});

test("a GIF is as large as its first frame, which browsers decode, if the size that it states is smaller", () => {
  const frame = hex("474946383961 0a00 0a00 800000 000000ffffff 21fe 03616263 0161 00 2c 0100 0200 1027 1027 00");
  expect(readPictureSize(frame)).toEqual({ width: 10_001, height: 10_002 });
  expect(readPictureSize(hex("474946383961 0a00 0a00 000000 3b00"))).toBeUndefined();
});

test.each(["00", "01", "d0", "d7", "d8", "d9"])(
  "a JPEG with a marker %s, which has no length, has no size: a decoder would find another one",
  (marker) => {
    // What follows is a frame to a decoder; by its marker as a length, it ends at a smaller one.
    const frame = hex(`ffd8 ff${marker} ffc0 0011 08 4e20 4e20 03`);
    const smaller = Buffer.concat([
      frame,
      Buffer.alloc(2 + 2 + 0xffc0 - frame.length),
      hex("ffc0 0011 08 000a 000a 03"),
    ]);
    expect(readPictureSize(Uint8Array.from(smaller))).toBeUndefined();
  },
);

test.each([
  ["an SVG", ascii('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)" width="9" height="9"/>')],
  ["an AVIF", ascii("\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf\0\0\0\x08meta")],
  ["a playlist", ascii("#EXTM3U\nhttps://tracker.example/film.ts\n")],
  ["an empty file", new Uint8Array()],
])("%s is no picture of which a thumbnail is made", (_, bytes) => {
  expect(readPictureSize(bytes)).toBeUndefined();
});

test("pictures are decoded up to a number of pixels", () => {
  const sizeOf = (png: Buffer) => readPictureSize(Uint8Array.from(png)) ?? { width: 0, height: 0 };
  expect(sizeOf(createPicture([1, 2, 3]))).toEqual({ width: 640, height: 480 });
  expect(isDecodable(sizeOf(createPicture([1, 2, 3])))).toBe(true);
  expect(isDecodable({ width: 8_064, height: 6_048 })).toBe(true);
  expect(isDecodable({ width: 8_000, height: 8_000 })).toBe(false);
  expect(isDecodable(sizeOf(createBomb(100_000, 1)))).toBe(false);
  expect(isDecodable({ width: 0, height: 5 })).toBe(false);
});

test("a thumbnail has the picture's proportions, and is not larger", () => {
  expect(fitThumbnail({ width: 4_000, height: 3_000 })).toEqual({ width: 256, height: 192 });
  expect(fitThumbnail({ width: 3_000, height: 4_000 })).toEqual({ width: 192, height: 256 });
  expect(fitThumbnail({ width: 100, height: 50 })).toEqual({ width: 100, height: 50 });
  expect(fitThumbnail({ width: 1, height: 40_000_000 })).toEqual({ width: 1, height: 256 });
});

test("films are known by their first bytes, and playlists are none", () => {
  expect(isFilm(ascii("\0\0\0\x18ftypmp42"))).toBe(true);
  expect(isFilm(ascii("\x1a\x45\xdf\xa3\x9fB\x86\x81"))).toBe(true);
  expect(isFilm(ascii("#EXTM3U\nhttps://tracker.example/film.ts"))).toBe(false);
  expect(isFilm(ascii("<svg/>"))).toBe(false);
  expect(isFilm(new Uint8Array())).toBe(false);
});

test("a film's thumbnail is of its first second, of a short one earlier", () => {
  expect([5_400, 10, 2, 0, Number.POSITIVE_INFINITY, Number.NaN].map(chooseSecond)).toEqual([1, 1, 0.2, 0, 0, 0]);
});
