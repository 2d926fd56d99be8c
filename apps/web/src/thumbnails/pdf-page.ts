/** Larger files are not read: the library holds them several times. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How long the library may load, in milliseconds: it is larger than the app. */
const LOAD_MS = 60_000;
/** How long a page may take after that. */
const DRAW_MS = 10_000;

/** Whether a file starts as PDFs do. */
export async function isPdf(file: Blob): Promise<boolean> {
  return (await file.slice(0, 5).text()) === "%PDF-";
}

/** Draws the first page of a PDF in a worker of its own, which ends with the call; `undefined` if it has no thumbnail. */
export async function drawPdf(file: Blob, signal: AbortSignal): Promise<Blob | undefined> {
  if (file.size > MAX_BYTES) return undefined;
  signal.throwIfAborted();
  const worker = new Worker(new URL("./pdf-worker.ts", import.meta.url), { type: "module" });
  const { port1: port, port2 } = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<Blob | undefined>((resolve, reject) => {
      const limit = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new DOMException("The PDF takes too long", "TimeoutError")), ms);
      };
      limit(LOAD_MS);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      worker.onerror = () => reject(new Error("The worker cannot be loaded"));
      // The library sends messages of its own here, so that the thumbnail has its own port.
      worker.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (data === "loaded") limit(DRAW_MS);
      };
      port.onmessage = ({ data }: MessageEvent<Blob | undefined>) => resolve(data);
      worker.postMessage(file, [port2]);
    });
  } finally {
    clearTimeout(timer);
    worker.terminate();
    port.close();
  }
}
