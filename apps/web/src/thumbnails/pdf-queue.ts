/** Draws the PDFs that are shown, one at a time: the library that does is larger than the app. */
export interface PdfQueue {
  add(cid: string, file: Blob): void;
  /** The file is shown from now on. */
  show(cid: string): void;
  /** It no longer is: a drawing of it ends, and starts again once it is shown. */
  hide(cid: string): void;
  close(): void;
}

/** How many files wait until they are shown; their bytes stay on the disk. */
const MAX_WAITING = 2_000;

/** @param draw - its failures are ignored: the file is not drawn again */
export function createPdfQueue({
  isShown,
  draw,
}: {
  isShown: (cid: string) => boolean;
  draw: (cid: string, file: Blob, signal: AbortSignal) => Promise<void>;
}): PdfQueue {
  const waiting = new Map<string, Blob>();
  let last: Promise<unknown> = Promise.resolve();
  let current: { cid: string; controller: AbortController } | undefined;
  let isClosed = false;

  function wait(cid: string, file: Blob): void {
    waiting.set(cid, file);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
  }

  async function drawNext(cid: string, file: Blob): Promise<void> {
    if (isClosed) return;
    if (!isShown(cid)) return wait(cid, file);
    const controller = new AbortController();
    current = { cid, controller };
    try {
      await draw(cid, file, controller.signal);
    } catch {
      // A file without a thumbnail is shown by the icon of its kind.
      if (controller.signal.aborted) add(cid, file);
    } finally {
      current = undefined;
    }
  }

  function add(cid: string, file: Blob): void {
    last = last.then(() => drawNext(cid, file));
  }

  return {
    add,
    show(cid) {
      const file = waiting.get(cid);
      if (waiting.delete(cid) && file) add(cid, file);
    },
    hide(cid) {
      if (current?.cid === cid) current.controller.abort();
    },
    close() {
      isClosed = true;
      waiting.clear();
      current?.controller.abort();
    },
  };
}
