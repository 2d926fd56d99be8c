import { untilAborted } from "../base/async/abort.ts";
import type { OpenFile } from "../network/blocks/open-file.ts";
import { answerRequest } from "./answer-request.ts";
import { connectWorker } from "./connect-worker.ts";
import { holdLock } from "./hold-lock.ts";
import { formatMediaUrl, isMediaMessage, type MediaRequest } from "./messages.ts";

/** What {@link createMediaUrl} requires of a file: `openFile` and `openEncrypted` return it. */
export type MediaFile = Pick<OpenFile, "response">;

/** Options of {@link createMediaUrl}. */
export interface MediaUrlOptions {
  /** Ends the call. It does not revoke the URL. @default none */
  signal?: AbortSignal | undefined;
  /** Receives why a part of the file could not be read, which the player does not learn. @default none */
  onError?: ((error: unknown) => void) | undefined;
}

/** A URL by which this page's elements read a file. */
export interface MediaUrl {
  /** Of this site; valid until it is revoked, or the page is closed. It reveals nothing about the file. */
  url: string;
  /** Ends the URL, and what is being read by it. */
  revoke(): void;
}

/** A file that has a URL. */
interface Registered {
  file: MediaFile;
  onError: (error: unknown) => void;
  /** Fires when the URL is revoked. */
  signal: AbortSignal;
}

const registered = new Map<string, Registered>();

/**
 * Creates a URL by which `<video>`, `<audio>`, `<img>` and viewers of PDF read a file, at any position: what
 * `URL.createObjectURL` is for a Blob, without downloading the file first. The requests are answered by the Service Worker
 * of the page, which has to call {@link serveMedia}, from the file in this page's memory: keys do not leave it.
 *
 * @throws `UNSUPPORTED` if no Service Worker is registered for this page, or it does not call {@link serveMedia}; `ABORTED`
 *
 * @example
 * await navigator.serviceWorker.register("/media-worker.js", { type: "module" });
 * const film = await openEncrypted(cid, { signer });
 * const { url, revoke } = await createMediaUrl(film);
 * video.src = url;
 */
export async function createMediaUrl(file: MediaFile, options: MediaUrlOptions = {}): Promise<MediaUrl> {
  const { signal, onError = () => undefined } = options;
  const { container, client, scope } = await connectWorker(signal);
  const id = crypto.randomUUID();
  const stop = new AbortController();
  await untilAborted(holdLock(id, stop.signal), signal).catch((error: unknown) => {
    stop.abort();
    throw error;
  });
  registered.set(id, { file, onError, signal: stop.signal });
  container.addEventListener("message", onMessage);
  container.startMessages();
  return {
    url: formatMediaUrl(scope, { client, id }),
    revoke() {
      stop.abort();
      registered.delete(id);
      if (registered.size === 0) container.removeEventListener("message", onMessage);
    },
  };
}

function onMessage({ data, ports }: MessageEvent<unknown>): void {
  const [port] = ports;
  if (!port || !isMediaMessage(data, "request")) return;
  void answer(data, port);
}

async function answer(request: MediaRequest, port: MessagePort): Promise<void> {
  const found = registered.get(request.id);
  if (found) await answerRequest(request, port, found);
  else port.postMessage({ status: 404, headers: [], hasBody: false });
}
