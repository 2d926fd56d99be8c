// The parts of a Service Worker's global scope that are used here, typed by structure: a program cannot have the types of
// pages and of workers at once (https://w3c.github.io/ServiceWorker/).

/** A page or worker that the Service Worker can reach. */
interface WorkerClient {
  id: string;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

interface LastingEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface WorkerEvents {
  fetch: { request: Request; respondWith(response: Promise<Response>): void };
  message: LastingEvent & { data: unknown; ports: readonly MessagePort[]; source: WorkerClient | null };
}

/** The global scope of a Service Worker. */
export interface WorkerScope {
  registration: { scope: string };
  clients: { get(id: string): Promise<WorkerClient | undefined>; claim(): Promise<void> };
  addEventListener<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): void;
}
