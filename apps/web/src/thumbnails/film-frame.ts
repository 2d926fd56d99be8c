import { chooseSecond } from "./choose-second.ts";
import { encodeThumbnail } from "./encode-thumbnail.ts";
import { isDecodable } from "./picture-size.ts";

/** Whether a file starts as MP4 and QuickTime, or as WebM and Matroska do. Playlists, which name other files, do not. */
export function isFilm(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 8));
  return text.endsWith("ftyp") || text.startsWith("\x1a\x45\xdf\xa3");
}

/** Draws the frame that a player shows. */
export async function drawFrame(player: HTMLVideoElement): Promise<Blob | undefined> {
  const size = { width: player.videoWidth, height: player.videoHeight };
  const isShown = player.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
  return isShown && isDecodable(size) ? encodeThumbnail(player, size) : undefined;
}

/** Draws a frame of a film on this device, of which only what that takes is read. */
export async function drawFilm(file: Blob, signal: AbortSignal): Promise<Blob | undefined> {
  const url = URL.createObjectURL(file);
  const player = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "auto" });
  try {
    player.src = url;
    await waitFor(player, "loadeddata", signal);
    player.currentTime = chooseSecond(player.duration);
    await waitFor(player, "seeked", signal);
    return await drawFrame(player);
  } finally {
    player.removeAttribute("src");
    // Otherwise the decoder stays until the element is collected.
    player.load();
    URL.revokeObjectURL(url);
  }
}

function waitFor(player: HTMLVideoElement, event: "loadeddata" | "seeked", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(signal.aborted ? signal.reason : player.error);
    player.addEventListener(event, () => resolve(), { once: true });
    player.addEventListener("error", fail, { once: true });
    signal.addEventListener("abort", fail, { once: true });
  });
}
