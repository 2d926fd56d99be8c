// The script of the page that film-rig.ts opens.
import { createMediaUrl } from "../../../packages/media/src/index.ts";
import { createKit, type OpenFile } from "../../../src/index.ts";
import { colors, encodeFrames, openFilm, picture, readPicture, seekFilm } from "../../../test/support/film-page.ts";

/** What the page has to know. */
export interface FilmOptions {
  cid: string;
  kit: Parameters<typeof createKit>[0];
  /** To sign in with. */
  address: string;
  authToken: string;
}

let file: OpenFile | undefined;
const video = document.createElement("video");
document.body.append(video);

function getFile(): OpenFile {
  if (!file) throw new Error("the film is not open");
  return file;
}

/** What a test may call in the page. */
export const filmScript = {
  encodeFrames: () => encodeFrames({ ...picture, colors }),
  async open({ cid, kit, address, authToken }: FilmOptions): Promise<number> {
    await navigator.serviceWorker.register("/media-worker.js");
    file = await createKit(kit).openEncrypted(cid, { address, authToken });
    return file.size;
  },
  /** Waits for the first picture; returns the duration, and how long that took in milliseconds. */
  async play() {
    const { url } = await createMediaUrl(getFile());
    const started = performance.now();
    const duration = await openFilm(video, url);
    return { duration, ms: performance.now() - started };
  },
  /** Seeks; returns how long that took in milliseconds. */
  async seek(second: number) {
    const started = performance.now();
    await seekFilm(video, second);
    return performance.now() - started;
  },
  /** Returns the channels of the picture. */
  async look() {
    return readPicture(video);
  },
  async stop() {
    video.removeAttribute("src");
    video.load();
  },
  /** Reads a range; returns how many bytes it got. */
  async read(from: number, to: number) {
    return (await getFile().read(from, to)).length;
  },
};

Object.assign(globalThis, { filmScript });
