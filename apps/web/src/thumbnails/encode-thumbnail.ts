import type { PictureSize } from "./picture-size.ts";

/** Longest side of a thumbnail, in pixels. */
export const EDGE = 256;
/** Larger ones are not kept. */
const THUMBNAIL_BYTES = 10_240;

/** What is tried, until a thumbnail is small enough. Safari encodes no WebP. */
const encodings = [
  ["image/webp", [0.8, 0.5, 0.2, 0.05]],
  ["image/jpeg", [0.7, 0.4, 0.15]],
] as const;

/** Returns the size of a picture's thumbnail, which is not larger than the picture. */
export function fitThumbnail({ width, height }: PictureSize): PictureSize {
  const scale = Math.min(1, EDGE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Draws a thumbnail of a picture of this size; `undefined` if none is small enough. */
export async function encodeThumbnail(picture: CanvasImageSource, size: PictureSize): Promise<Blob | undefined> {
  const { width, height } = fitThumbnail(size);
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) return undefined;
  // Drawings without a ground expect a light one, also in the dark theme.
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  pen.drawImage(picture, 0, 0, width, height);
  for (const [type, qualities] of encodings) {
    for (const quality of qualities) {
      const thumbnail = await canvas.convertToBlob({ type, quality });
      // What cannot be encoded as this type is a PNG.
      if (thumbnail.type !== type) break;
      if (thumbnail.size <= THUMBNAIL_BYTES) return thumbnail;
    }
  }
  return undefined;
}
