// What a page needs to make and watch a film of `webm.ts`. Each function runs in a page, and refers to nothing outside of it.

/** Size of the pictures. */
export const picture = { width: 64, height: 48 };

/** What the frames show, in order: red, green, blue or all of them. */
export const colors = ["#f00000", "#00f000", "#0000f0", "#f0f0f0"];

/** Encodes one VP8 key frame for each colour; returns them in base64. */
export async function encodeFrames(options: { width: number; height: number; colors: readonly string[] }) {
  const { width, height, colors } = options;
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("The canvas has no 2D context");
  const frames: string[] = [];
  let failure: unknown;
  const encoder = new VideoEncoder({
    output(chunk) {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      frames.push(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
    },
    error(error) {
      failure = error;
    },
  });
  encoder.configure({ codec: "vp8", width, height });
  for (const [at, color] of colors.entries()) {
    pen.fillStyle = color;
    pen.fillRect(0, 0, width, height);
    const frame = new VideoFrame(canvas, { timestamp: at * 1_000_000 });
    encoder.encode(frame, { keyFrame: true });
    frame.close();
  }
  await encoder.flush();
  encoder.close();
  if (failure) throw failure;
  return frames;
}

/** Waits for the first picture of a film; returns its duration in seconds. */
export async function openFilm(video: HTMLVideoElement, url: string): Promise<number> {
  video.muted = true;
  const loaded = new Promise<void>((resolve, reject) => {
    video.addEventListener("loadeddata", () => resolve(), { once: true });
    video.addEventListener("error", () => reject(new Error(video.error?.message)), { once: true });
  });
  video.src = url;
  await loaded;
  return video.duration;
}

/** Seeks, until the player has the picture there. */
export async function seekFilm(video: HTMLVideoElement, second: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    video.addEventListener("seeked", () => resolve(), { once: true });
    video.addEventListener("error", () => reject(new Error(video.error?.message)), { once: true });
    video.currentTime = second;
  });
}

/**
 * Returns which of the colours the picture has: its channels, 1 where they are bright. On a busy machine the previous
 * picture may stay for a moment after a seek.
 */
export function readPicture(video: HTMLVideoElement): number[] {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen?.drawImage(video, 0, 0, 1, 1);
  return Array.from(pen?.getImageData(0, 0, 1, 1).data.slice(0, 3) ?? [], (channel) => (channel > 127 ? 1 : 0));
}
