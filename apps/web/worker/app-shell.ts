/** The parts of `ServiceWorkerGlobalScope` that this uses: TypeScript's types of pages and workers exclude each other. */
interface WorkerScope {
  location: Location;
  addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

const PREFIX = "app-";
/** Says which network the app uses; the server may change it, so that only its last state is kept. */
const NETWORK = "/network.json";

/**
 * Keeps the app's own files, so that it starts without a network. A new version is kept besides the old one until no page
 * uses that any more. Requests to other sites, and all but the files of the build, are left to the network.
 */
export function serveAppShell({ files, version }: { files: string; version: string }): void {
  const worker = globalThis as unknown as WorkerScope;
  const paths = files.split(" ");
  const name = PREFIX + version;
  // Vite's development server replaces no names, and has no files to keep.
  if (!files.startsWith("/")) return;

  /** All of them or, if one cannot be fetched, none: films play without. */
  async function keepFiles(): Promise<void> {
    const cache = await caches.open(name);
    await cache.addAll(paths.map((path) => new Request(path, { cache: "no-cache" })));
    await keepNetwork(await fetch(NETWORK, { cache: "no-cache" }));
  }

  /** Keeps which network the server names, or that it names none, unless it cannot say. */
  async function keepNetwork(response: Response): Promise<void> {
    if (response.status >= 429) return;
    const cache = await caches.open(name);
    // Some responses cannot be kept, such as one that varies by everything.
    await cache.put(NETWORK, response).catch(() => undefined);
  }

  async function removeOldFiles(): Promise<void> {
    const old = (await caches.keys()).filter((key) => key.startsWith(PREFIX) && key !== name);
    await Promise.all(old.map((key) => caches.delete(key)));
  }

  /** From the network, or else what was kept: a page is never older than the server's. */
  async function fetchFirst(path: string, request: Request): Promise<Response> {
    const cache = await caches.open(name);
    try {
      const response = await fetch(request);
      if (path === NETWORK) await keepNetwork(response.clone());
      return response;
    } catch (error) {
      const kept = await cache.match(path, { ignoreVary: true });
      if (kept) return kept;
      throw error;
    }
  }

  async function keptFirst(request: Request): Promise<Response> {
    // Servers say `Vary: Origin`, and scripts are requested with one; the files do not differ.
    return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
  }

  /** If the files cannot be kept, the former version stays, and the browser tries again; without one, films play. */
  async function install(): Promise<void> {
    const hasFormer = (await caches.keys()).some((key) => key.startsWith(PREFIX) && key !== name);
    await keepFiles().catch((error: unknown) => {
      if (hasFormer) throw error;
    });
  }

  worker.addEventListener("install", (event) => event.waitUntil(install()));
  worker.addEventListener("activate", (event) => event.waitUntil(removeOldFiles()));
  worker.addEventListener("fetch", (event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method !== "GET" || origin !== worker.location.origin) return;
    if (pathname === "/" || pathname === NETWORK) event.respondWith(fetchFirst(pathname, request));
    else if (paths.includes(pathname)) event.respondWith(keptFirst(request));
  });
}
