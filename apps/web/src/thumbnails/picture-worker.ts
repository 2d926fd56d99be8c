import { EDGE, encodeThumbnail } from "./encode-thumbnail.ts";
import { isDecodable, readPictureSize } from "./picture-size.ts";

/** Larger files are not read. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A camera's data are before the size of a picture. */
const HEAD_BYTES = 512 * 1024;

// Runs in a worker, so that decoding blocks no page. Answers each file with its thumbnail, or `undefined`.
addEventListener("message", async ({ data }: MessageEvent<Blob>) => {
  postMessage(await shrink(data).catch(() => undefined));
});

async function shrink(file: Blob): Promise<Blob | undefined> {
  if (file.size > MAX_BYTES) return undefined;
  const size = readPictureSize(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  if (!size || !isDecodable(size)) return undefined;
  const longest = Math.max(size.width, size.height);
  const side = size.width === longest ? "resizeWidth" : "resizeHeight";
  const picture = await createImageBitmap(file, longest > EDGE ? { [side]: EDGE, resizeQuality: "medium" } : {});
  try {
    return await encodeThumbnail(picture, picture);
  } finally {
    picture.close();
  }
}
