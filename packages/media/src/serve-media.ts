import { policyOf } from "./content-policy.ts";
import {
  holdLock,
  isMediaMessage,
  type MediaAddress,
  type MediaHead,
  type MediaPart,
  type MediaRequest,
  onLockReleased,
  parseMediaUrl,
  type Welcome,
} from "./messages.ts";

/**
 * Makes a Service Worker answer the requests of players and viewers for the URLs that its pages create with
 * `createMediaUrl`. Call it once, when the script starts. All other requests are left to other listeners, or to the
 * network.
 *
 * The Service Worker holds neither keys nor files, and stores nothing: for each request it asks the page that created the
 * URL. A page that it does not control yet, as at the first visit, it takes control of (`clients.claim()`) as soon as
 * that page creates a URL.
 *
 * @example
 * // media-worker.ts, to be served from the root of the site
 * import { serveMedia } from "@keeplight/media/worker";
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

/** Requests a file, or a range of it, from the page that has it. */
async function requestMedia(
  clients: WorkerScope["clients"],
  { client, id }: MediaAddress,
  { method, headers }: Pick<Request, "method" | "headers">,
): Promise<Response> {
  const page = await clients.get(client);
  if (!page) return new Response(null, { status: 404 });
  const { port1: port, port2 } = new MessageChannel();
  const { requestId, ask, end } = await startConversation(port, id);
  const request: MediaRequest = { keeplightMedia: "request", id, requestId, method, range: headers.get("range") };
  const head = await ask<MediaHead>(() => page.postMessage(request, [port2])).catch(() => undefined);
  if (!head) return new Response(null, { status: 404 });
  if ("failed" in head) {
    end();
    // A network error, after which players try again.
    return Response.error();
  }
  const { status, hasBody } = head;
  if (!hasBody) end();
  const askForPart = () => ask<MediaPart>(() => port.postMessage("next"));
  return new Response(hasBody ? toBody(askForPart, end) : null, { status, headers: secure(head.headers) });
}

/** What the page has no say in: nothing runs, no other site includes it, and nothing of it is stored. */
function secure(fields: [name: string, value: string][]): Headers {
  const headers = new Headers(fields);
  headers.set("Content-Security-Policy", policyOf(headers.get("Content-Type")));
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("Cache-Control", "no-store");
  return headers;
}

/** Exchanges messages with a page, one at a time, as long as that page's URL is valid. */
async function startConversation(port: MessagePort, id: string) {
  const requestId = crypto.randomUUID();
  const over = new AbortController();
  let waiting: { resolve(message: never): void; reject(reason: unknown): void } | undefined;
  let failure: Error | undefined;

  function end(): void {
    over.abort();
    port.close();
  }

  await holdLock(requestId, over.signal);
  port.onmessage = ({ data }) => waiting?.resolve(data as never);
  onLockReleased(id, over.signal, () => {
    failure = new Error("The URL is no longer valid");
    waiting?.reject(failure);
    end();
  });

  return {
    requestId,
    /** Runs `send`, and waits for the page's response to it. */
    ask: <Reply>(send: () => void) =>
      new Promise<Reply>((resolve, reject) => {
        if (failure) throw failure;
        waiting = { resolve, reject };
        send();
      }),
    end,
  };
}

function toBody(askForPart: () => Promise<MediaPart>, end: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const part = await askForPart();
      if ("bytes" in part) return controller.enqueue(part.bytes);
      end();
      if ("failed" in part) throw new Error(part.failed);
      controller.close();
    },
    cancel: end,
  });
}

// The parts of a Service Worker's global scope that are used here, typed by structure: a program cannot have the types of
// pages and of workers at once (https://w3c.github.io/ServiceWorker/).

/** A page or worker that the Service Worker can reach. */
interface WorkerClient {
  id: string;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

interface WorkerEvents {
  fetch: { request: Request; respondWith(response: Promise<Response>): void };
  message: Pick<MessageEvent<unknown>, "data" | "ports"> & {
    source: WorkerClient | null;
    waitUntil(work: Promise<unknown>): void;
  };
}

interface WorkerScope {
  registration: { scope: string };
  clients: { get(id: string): Promise<WorkerClient | undefined>; claim(): Promise<void> };
  addEventListener<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): void;
}
