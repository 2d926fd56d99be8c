import { KeeplightError } from "keeplight";
import { deriveSignal, onAbort, throwIfAborted, untilAborted } from "keeplight/parts";
import { createResponse, type MediaFile } from "./create-response.ts";
import {
  formatMediaUrl,
  type Hello,
  holdLock,
  isMediaMessage,
  type MediaHead,
  type MediaPart,
  type MediaRequest,
  onLockReleased,
  type Welcome,
} from "./messages.ts";

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
 * of the page, which has to call `serveMedia`, from the file in this page's memory: keys do not leave it.
 *
 * @throws `UNSUPPORTED` if no Service Worker is registered for this page, or it does not call `serveMedia`; `ABORTED`
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

function onMessage({ data, ports: [port] }: MessageEvent<unknown>): void {
  if (!port || !isMediaMessage(data, "request")) return;
  const found = registered.get(data.id);
  if (found) void answerRequest(data, port, found);
  else port.postMessage({ status: 404, headers: [], hasBody: false });
}

/** How long a Service Worker may take to start and respond, in milliseconds. */
const MAX_START_MS = 30_000;

/**
 * Waits until this page is controlled by its Service Worker.
 *
 * @returns the id that the worker knows this page by, and the URL that the worker's own URLs start with
 * @throws `UNSUPPORTED` if there is none, or it does not call `serveMedia`; `ABORTED`
 */
async function connectWorker(signal: AbortSignal | undefined) {
  const container = globalThis.navigator?.serviceWorker as ServiceWorkerContainer | undefined;
  const registration = await untilAborted(Promise.resolve(container?.getRegistration()), signal);
  if (!container || !registration) throw unsupported("no Service Worker is registered for this page");
  const { signal: over, end } = deriveSignal(signal);
  const timer = setTimeout(end, MAX_START_MS);
  try {
    const client = await untilAborted(greet(container, over), over);
    return { container, client, scope: registration.scope };
  } catch (error) {
    throwIfAborted(signal);
    throw over.aborted ? unsupported("the page's Service Worker does not call serveMedia") : error;
  } finally {
    clearTimeout(timer);
    end();
  }
}

const unsupported = (reason: string) =>
  new KeeplightError("UNSUPPORTED", `Not possible in this runtime: media URLs, as ${reason}`);

/** Returns the id of this page once the Service Worker controls it. */
async function greet(container: ServiceWorkerContainer, end: AbortSignal): Promise<string> {
  const { active } = await container.ready;
  const { port1, port2 } = new MessageChannel();
  end.addEventListener("abort", () => port1.close(), { once: true });
  const { client } = await new Promise<Welcome>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    active?.postMessage({ keeplightMedia: "hello" } satisfies Hello, [port2]);
  });
  if (!container.controller) {
    await new Promise((resolve) => {
      container.addEventListener("controllerchange", resolve, { once: true, signal: end });
    });
  }
  return client;
}

/** Answers one request from a file of this page, part by part as the Service Worker requests them. */
async function answerRequest(
  { requestId, method, range }: MediaRequest,
  port: MessagePort,
  { file, onError, signal }: Registered,
): Promise<void> {
  const { signal: over, end } = deriveSignal(signal);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const send = (message: MediaHead | MediaPart, transfer: Transferable[] = []) => port.postMessage(message, transfer);

  function close(): void {
    port.close();
    reader?.cancel().catch(() => undefined);
  }

  function fail(error: unknown): void {
    if (over.aborted) return;
    send({ failed: String(error) });
    end();
    onError(error);
  }

  async function sendPart(): Promise<void> {
    try {
      const part = await reader?.read();
      if (!part?.value) {
        send({ done: true });
        return end();
      }
      // A copy: the file may keep these bytes for the next request.
      const bytes = part.value.slice();
      send({ bytes }, [bytes.buffer]);
    } catch (error) {
      fail(error);
    }
  }

  onAbort(over, close);
  onLockReleased(requestId, over, end);
  try {
    const headers = new Headers(range === null ? {} : { Range: range });
    const response = await createResponse(file, { method, headers });
    reader = response.body?.getReader();
    if (over.aborted) return close();
    port.onmessage = sendPart;
    send({ status: response.status, headers: [...response.headers], hasBody: reader !== undefined });
    if (!reader) end();
  } catch (error) {
    fail(error);
  }
}
