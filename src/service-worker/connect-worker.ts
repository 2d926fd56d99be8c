import { untilAborted } from "../base/async/abort.ts";
import { unsupported } from "../base/errors/input.ts";
import type { Hello, Welcome } from "./messages.ts";

/** How long a Service Worker may take to start and respond, in milliseconds. */
const MAX_START_MS = 30_000;

/** The Service Worker of this page, which controls it. */
export interface ConnectedWorker {
  container: ServiceWorkerContainer;
  /** The id that it knows this page by. */
  client: string;
  /** URL that its own URLs start with. */
  scope: string;
}

/**
 * Waits until this page is controlled by its Service Worker.
 *
 * @throws `UNSUPPORTED` if there is none, or it does not call `serveMedia`; `ABORTED`
 */
export async function connectWorker(signal: AbortSignal | undefined): Promise<ConnectedWorker> {
  const container = globalThis.navigator?.serviceWorker as ServiceWorkerContainer | undefined;
  const registration = await untilAborted(Promise.resolve(container?.getRegistration()), signal);
  if (!container || !registration) throw unsupported("media URLs, as no Service Worker is registered for this page");
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_START_MS);
  try {
    const client = await untilAborted(Promise.race([greet(container, late.signal), rejectWhen(late.signal)]), signal);
    return { container, client, scope: registration.scope };
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}

/** Returns the id of this page once the Service Worker controls it. */
async function greet(container: ServiceWorkerContainer, end: AbortSignal): Promise<string> {
  const { active } = await container.ready;
  const { port1, port2 } = new MessageChannel();
  end.addEventListener("abort", () => port1.close(), { once: true });
  const hello: Hello = { keeplightMedia: "hello" };
  const { client } = await new Promise<Welcome>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    active?.postMessage(hello, [port2]);
  });
  if (!container.controller) {
    await new Promise((resolve) => {
      container.addEventListener("controllerchange", resolve, { once: true, signal: end });
    });
  }
  return client;
}

function rejectWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(unsupported("media URLs, as the page's Service Worker does not call serveMedia"));
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
