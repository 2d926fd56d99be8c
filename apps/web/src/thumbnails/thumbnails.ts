import type { KeptThumbnails } from "./kept-thumbnails.ts";
import { createPdfQueue } from "./pdf-queue.ts";

/** The thumbnails of an account's files, by content id: another version of a file has another one. */
export interface Thumbnails {
  load(cid: string): Promise<Blob | undefined>;
  /**
   * Makes the thumbnail of a file on this device, after all that were to be made before; that of a PDF once somebody has
   * subscribed to it. Without effect if the file has none.
   */
  make(cid: string, file: Blob): void;
  /** Makes the thumbnail of a film from the frame that a player shows. */
  capture(cid: string, player: HTMLVideoElement): void;
  /** Calls `listener` when a file's thumbnail was made; returns what ends that. */
  subscribe(cid: string, listener: () => void): () => void;
  close(): void;
}

/** How many stay in memory: 10 KiB at most each. */
const MAX_COUNT = 300;

const loadMaker = () => import("./make-thumbnail.ts");

/** @param kept - what survives this page; `undefined` if the browser keeps nothing */
export function createThumbnails(kept: KeptThumbnails | undefined): Thumbnails {
  const known = new Map<string, Blob>();
  const listeners = new Map<string, Set<() => void>>();
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function remember(cid: string, thumbnail: Blob): void {
    known.delete(cid);
    known.set(cid, thumbnail);
    const [oldest] = known.keys();
    if (known.size > MAX_COUNT && oldest !== undefined) known.delete(oldest);
  }

  async function add(cid: string, thumbnail: Blob | undefined): Promise<void> {
    if (!thumbnail || isClosed) return;
    remember(cid, thumbnail);
    for (const listener of listeners.get(cid) ?? []) listener();
    await kept?.write(cid, thumbnail);
  }

  async function load(cid: string): Promise<Blob | undefined> {
    // What cannot be opened is made again when the file is.
    const thumbnail = known.get(cid) ?? (await kept?.read(cid).catch(() => undefined));
    if (thumbnail) remember(cid, thumbnail);
    return thumbnail;
  }

  async function drawFile(cid: string, file: Blob): Promise<void> {
    if (isClosed || (await load(cid))) return;
    const { isPdf, makeThumbnail } = await loadMaker();
    if (await isPdf(file)) pdfs.add(cid, file);
    else await add(cid, await makeThumbnail(file));
  }

  const pdfs = createPdfQueue({
    isShown: (cid) => listeners.has(cid),
    async draw(cid, file, signal) {
      const { drawPdf } = await loadMaker();
      await add(cid, await drawPdf(file, signal));
    },
  });

  async function drawPlayer(cid: string, player: HTMLVideoElement): Promise<void> {
    const { src } = player;
    const { drawFrame } = await loadMaker();
    // It may show another file by now.
    if (player.src === src) await add(cid, await drawFrame(player));
  }

  // A file without a thumbnail is shown by the icon of its kind.
  const ignore = () => undefined;
  return {
    load,
    make(cid, file) {
      last = last.then(() => drawFile(cid, file)).catch(ignore);
    },
    capture: (cid, player) => void drawPlayer(cid, player).catch(ignore),
    subscribe(cid, listener) {
      const all = listeners.get(cid) ?? new Set();
      listeners.set(cid, all.add(listener));
      pdfs.show(cid);
      return () => {
        all.delete(listener);
        if (all.size > 0) return;
        listeners.delete(cid);
        pdfs.hide(cid);
      };
    },
    close() {
      isClosed = true;
      pdfs.close();
      known.clear();
      kept?.close();
    },
  };
}
