// What a page and its Service Worker send each other. A request and its responses alternate on a port of their own, so that
// neither side has to remember the other: a Service Worker that was stopped and started again continues with the next request.

/** Path of all media, below the scope of the Service Worker. */
const FOLDER = "keeplight-media/";

/** Which page has a file, and which one it is. */
export interface MediaAddress {
  /** Id of the page that the Service Worker knows it by. */
  client: string;
  /** Random. */
  id: string;
}

export function formatMediaUrl(scope: string, { client, id }: MediaAddress): string {
  return `${scope}${FOLDER}${client}/${id}`;
}

/** Parses what {@link formatMediaUrl} returned; `undefined` for any other URL. */
export function parseMediaUrl(scope: string, url: string): MediaAddress | undefined {
  const start = `${scope}${FOLDER}`;
  const [, client, id] = (url.startsWith(start) && /^([\w-]+)\/([\w-]+)$/.exec(url.slice(start.length))) || [];
  return client && id ? { client, id } : undefined;
}

/**
 * Name of the lock that a page holds while a file's URL is valid, or the Service Worker while it serves a request. The
 * browser releases it when its holder ends, for any reason; a port would not reveal that.
 */
function lockName(id: string): string {
  return `keeplight-media-${id}`;
}

/** From a page, with a port for {@link Welcome}: how it finds out what the Service Worker knows it by. */
export interface Hello {
  keeplightMedia: "hello";
}

/** The response to {@link Hello}. */
export interface Welcome {
  client: string;
}

/** From the Service Worker, with a port for everything below: a request for a file. */
export interface MediaRequest {
  keeplightMedia: "request";
  /** Of the file. */
  id: string;
  /** Of the request. */
  requestId: string;
  method: string;
  /** The header of that name. */
  range: string | null;
}

/** From the page, the response to {@link MediaRequest}; then a {@link MediaPart} for each further message. */
export type MediaHead =
  | { status: number; headers: [name: string, value: string][]; hasBody: boolean }
  | { failed: string };

/** From the page: a part of the body, its end, or that it cannot be read. */
export type MediaPart = { bytes: Uint8Array<ArrayBuffer> } | { done: true } | { failed: string };

/** Whether a message is one of these. */
export function isMediaMessage<Kind extends (Hello | MediaRequest)["keeplightMedia"]>(
  message: unknown,
  kind: Kind,
): message is Extract<Hello | MediaRequest, { keeplightMedia: Kind }> {
  return (
    typeof message === "object" && message !== null && "keeplightMedia" in message && message.keeplightMedia === kind
  );
}

/** Resolves once the lock of this id is held, until `signal` fires. */
export function holdLock(id: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((release) => {
        signal.addEventListener("abort", () => release(), { once: true });
        if (signal.aborted) release();
        resolve();
      });
    navigator.locks.request(lockName(id), hold).catch(reject);
  });
}

/** Calls `onRelease` when nobody holds the lock of this id any more, unless `signal` fires before. */
export function onLockReleased(id: string, signal: AbortSignal, onRelease: () => void): void {
  navigator.locks.request(lockName(id), { mode: "shared", signal }, onRelease).catch(() => undefined);
}
