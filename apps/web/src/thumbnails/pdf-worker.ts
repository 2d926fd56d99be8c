import { AnnotationMode, getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
// The parser, which registers itself: it and the drawing run in this worker, so that both end with it.
import "pdfjs-dist/legacy/build/pdf.worker.mjs";
import { encodeThumbnail, fitThumbnail } from "./encode-thumbnail.ts";
import { isDecodable, MAX_PIXELS } from "./picture-size.ts";

/** Larger pictures of a page are made smaller while they are decoded, in bytes. */
const MAX_PICTURE_BYTES = 64 * 1024 * 1024;

// The library would inflate a whole stream with it, however large; without, it inflates as much as it reads.
Reflect.deleteProperty(globalThis, "DecompressionStream");

addEventListener("message", async ({ data, ports: [port] }: MessageEvent<Blob>) => {
  port?.postMessage(await drawFirstPage(data).catch(() => undefined));
});
postMessage("loaded");

/** Scripts, forms and annotations are not run or drawn, and nothing is fetched: fonts that a file lacks are replaced. */
async function drawFirstPage(file: Blob): Promise<Blob | undefined> {
  const loading = getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    CanvasFactory: OffscreenCanvases,
    FilterFactory: NoFilters,
    canvasMaxAreaInBytes: MAX_PICTURE_BYTES,
    disableAutoFetch: true,
    disableFontFace: true,
    enableXfa: false,
    maxImageSize: MAX_PIXELS,
    stopAtErrors: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    // The app's policy forbids WebAssembly.
    useWasm: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  const page = await (await loading.promise).getPage(1);
  const { width, height } = page.getViewport({ scale: 1 });
  const size = fitThumbnail({ width, height });
  const canvas = new OffscreenCanvas(size.width, size.height);
  await page.render({
    // Its type knows only the canvas of a page.
    canvas: canvas as unknown as HTMLCanvasElement,
    viewport: page.getViewport({ scale: Math.min(size.width / width, size.height / height) }),
    annotationMode: AnnotationMode.DISABLE,
  }).promise;
  return encodeThumbnail(canvas, size);
}

/** What the library draws on: this worker has no elements. It requires a class. */
class OffscreenCanvases {
  create(width: number, height: number) {
    if (!isDecodable({ width, height })) throw new RangeError("The canvas is too large");
    const canvas = new OffscreenCanvas(width, height);
    return { canvas, context: canvas.getContext("2d", { willReadFrequently: true }) };
  }
  getNoAlphaContext(canvas: OffscreenCanvas) {
    return canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  }
  reset({ canvas }: { canvas: OffscreenCanvas }, width: number, height: number): void {
    if (!isDecodable({ width, height })) throw new RangeError("The canvas is too large");
    Object.assign(canvas, { width, height });
  }
  destroy({ canvas }: { canvas: OffscreenCanvas }): void {
    Object.assign(canvas, { width: 0, height: 0 });
  }
}

/** Filters are elements, too. It requires a class. */
class NoFilters {
  addFilter = none;
  addHCMFilter = none;
  addAlphaFilter = none;
  addLuminosityFilter = none;
  addKnockoutFilter = none;
  addHighlightHCMFilter = none;
  destroy = none;
}

function none(): string {
  return "none";
}
