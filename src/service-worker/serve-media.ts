import { isMediaMessage, parseMediaUrl, type Welcome } from "./messages.ts";
import { requestMedia } from "./request-media.ts";
import type { WorkerScope } from "./worker-scope.ts";

/**
 * Makes a Service Worker answer the requests of players and viewers for the URLs that its pages create with
 * {@link createMediaUrl}. Call it once, when the script starts. All other requests are left to other listeners, or to the
 * network.
 *
 * The Service Worker holds neither keys nor files, and stores nothing: for each request it asks the page that created the
 * URL. A page that it does not control yet, as at the first visit, it takes control of (`clients.claim()`) as soon as
 * that page creates a URL.
 *
 * @example
 * // media-worker.ts, to be served from the root of the site
 * import { serveMedia } from "keeplight/service-worker";
 *
 * serveMedia();
 */
export function serveMedia(): void {
  const worker = globalThis as unknown as WorkerScope;

  worker.addEventListener("message", (event) => {
    const { data, source, ports } = event;
    if (!source || !isMediaMessage(data, "hello")) return;
    const welcome: Welcome = { client: source.id };
    event.waitUntil(worker.clients.claim().then(() => ports[0]?.postMessage(welcome)));
  });

  worker.addEventListener("fetch", (event) => {
    const address = parseMediaUrl(worker.registration.scope, event.request.url);
    if (address) event.respondWith(requestMedia(worker.clients, address, event.request));
  });
}
