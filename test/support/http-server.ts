import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request that came in. */
export interface RecordedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** All of it, or nothing where the server was told not to read. */
  body: Buffer;
}

/** Answers one request; a handler that does not end the answer leaves the client waiting. */
export type Handler = (request: RecordedRequest, response: ServerResponse, incoming: IncomingMessage) => unknown;

/** A server of one test. */
export interface TestServer {
  /** Base URL without a trailing slash. */
  url: string;
  /** Every request whose headers came in, oldest first. */
  requests: RecordedRequest[];
  /** Open connections. */
  connections(): number;
  /** The most requests that were under way at once. */
  mostAtOnce(): number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * A server on loopback that ends with the test. It closes each connection after its answer, so that a
 * connection that is open means a request that is not over.
 *
 * @param options - `read: false` hands the request over before its body is read
 */
export async function createServer(handler: Handler, options: { read?: boolean } = {}): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const requests: RecordedRequest[] = [];
  let now = 0;
  let most = 0;

  const server = createHttpServer({ requestTimeout: 0 }, (incoming, response) => {
    response.shouldKeepAlive = false;
    most = Math.max(most, ++now);
    response.once("close", () => now--);
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://localhost");
    const request: RecordedRequest = {
      method: incoming.method ?? "",
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: incoming.headers,
      body: Buffer.alloc(0),
    };
    requests.push(request);
    void serve(request, response, incoming);
  });

  async function serve(request: RecordedRequest, response: ServerResponse, incoming: IncomingMessage): Promise<void> {
    try {
      if (options.read !== false) request.body = await buffer(incoming);
    } catch {
      // The client went away in the middle of its body.
      return;
    }
    await handler(request, response, incoming);
  }

  server.on("connection", (socket) => {
    sockets.add(socket);
    // A client that goes away is what many tests are about.
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  await listenOnce(server);

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closed;
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => sockets.size,
    mostAtOnce: () => most,
    close,
  };
}

const portsUsed = new Set<number>();

/** Listens on a port that no earlier server of this process had: the kit remembers sign-ins by host and port. */
async function listenOnce(server: Server): Promise<void> {
  for (;;) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (!portsUsed.has(port)) return void portsUsed.add(port);
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Ends an answer with JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}

/** Base URL of a port of loopback that nobody listens on. */
export async function deadUrl(): Promise<string> {
  const server = createHttpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** All services at one base URL. */
export function endpointsAt(url: string) {
  return { api: url, upload: url, gateway: url, keyNodes: url };
}
