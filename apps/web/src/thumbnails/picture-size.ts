/** Width and height, in pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Pictures, and films, with more pixels are not decoded: that takes four bytes for each. */
export const MAX_PIXELS = 50_000_000;

export function isDecodable({ width, height }: PictureSize): boolean {
  return width > 0 && height > 0 && width * height <= MAX_PIXELS;
}

/**
 * Reads the size of a picture from its first bytes, without decoding it: PNG, GIF, WebP or JPEG, whatever its name says.
 * Returns `undefined` for everything else. SVG may run scripts, and the size that an AVIF file states is not the one that
 * is decoded.
 */
export function readPictureSize(head: Uint8Array<ArrayBuffer>): PictureSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    return readSize(view);
  } catch (error) {
    // The file ends within its header.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readSize(view: DataView): PictureSize | undefined {
  if (view.getUint32(0) === 0x89504e47 && hasTag(view, 12, "IHDR")) {
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (hasTag(view, 0, "GIF8")) return readGif(view);
  if (hasTag(view, 0, "RIFF") && hasTag(view, 8, "WEBP")) return readWebP(view);
  if (view.getUint16(0) === 0xffd8) return readJpeg(view);
  return undefined;
}

/** Finds the first frame: where it is larger than the screen that the file states, browsers decode all of it. */
function readGif(view: DataView): PictureSize | undefined {
  const flags = view.getUint8(10);
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  // Extensions, such as how long the frame is shown, are before it, in blocks of which an empty one is the last.
  while (view.getUint8(at) === 0x21) {
    for (at += 2; view.getUint8(at) > 0; ) at += 1 + view.getUint8(at);
    at++;
  }
  if (view.getUint8(at) !== 0x2c) return undefined;
  const read = (offset: number) => view.getUint16(offset, true);
  return {
    width: Math.max(read(6), read(at + 1) + read(at + 5)),
    height: Math.max(read(8), read(at + 3) + read(at + 7)),
  };
}

/** Of the three kinds of the first chunk: lossy, lossless, and extended. */
function readWebP(view: DataView): PictureSize | undefined {
  if (hasTag(view, 12, "VP8 ")) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (hasTag(view, 12, "VP8L")) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasTag(view, 12, "VP8X")) return undefined;
  const read24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
  return { width: read24(24) + 1, height: read24(27) + 1 };
}

/** Skips the segments before the frame, as those of a camera's data. */
function readJpeg(view: DataView): PictureSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    // A marker may be padded.
    while (view.getUint8(at + 1) === 0xff) at++;
    const marker = view.getUint8(at + 1);
    // A decoder reads no length after these: it would find another frame than the one that is found here.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9)) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

function hasTag(view: DataView, at: number, tag: string): boolean {
  return [...tag].every((letter, index) => view.getUint8(at + index) === letter.charCodeAt(0));
}
