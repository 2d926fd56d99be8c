import { drawFilm, isFilm } from "./film-frame.ts";

export { drawFrame } from "./film-frame.ts";
export { drawPdf, isPdf } from "./pdf-page.ts";

/** How long one file may take, in milliseconds. */
const MAX_MS = 10_000;

/** Makes the thumbnail of a picture or a film; `undefined` for other files. Fails for those that are damaged or take too long. */
export async function makeThumbnail(file: Blob): Promise<Blob | undefined> {
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
  const signal = AbortSignal.timeout(MAX_MS);
  return isFilm(head) ? drawFilm(file, signal) : drawPicture(file, signal);
}

/** Draws in a worker of its own, which ends with the call. */
async function drawPicture(file: Blob, signal: AbortSignal): Promise<Blob | undefined> {
  const worker = new Worker(new URL("./picture-worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<Blob | undefined>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Blob | undefined>) => resolve(data);
      worker.onerror = () => reject(new Error("The worker cannot be loaded"));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      worker.postMessage(file);
    });
  } finally {
    worker.terminate();
  }
}
