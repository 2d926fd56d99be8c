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

/** A request that the server received. */
export interface RecordedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** The whole body; empty with `read: false`. */
  body: Buffer;
}

/** Responds to one request; a handler that does not end the response leaves the client waiting. */
export type Handler = (request: RecordedRequest, response: ServerResponse, incoming: IncomingMessage) => unknown;

/** A server of one test. */
export interface TestServer {
  /** Base URL without a trailing slash. */
  url: string;
  /** Every request whose headers arrived, oldest first. */
  requests: RecordedRequest[];
  /** Open connections. */
  connections(): number;
  /** The largest number of concurrent requests so far. */
  maxConcurrent(): number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that closes when the test ends. It closes each connection after its response, so that an
 * open connection means an unfinished request.
 *
 * @param options - `read: false` calls the handler before the body is read; `keep` leaves it to the caller to close it
 */
export async function createServer(
  handler: Handler,
  options: { read?: boolean; keep?: boolean } = {},
): Promise<TestServer> {
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
      // The client disconnected in the middle of its body.
      return;
    }
    await handler(request, response, incoming);
  }

  server.on("connection", (socket) => {
    sockets.add(socket);
    // Many tests disconnect the client on purpose.
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
  if (!options.keep) onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => sockets.size,
    maxConcurrent: () => most,
    close,
  };
}

const portsUsed = new Set<number>();

/** Listens on a port that no earlier server of this process used: the kit caches sign-ins by host and port. */
async function listenOnce(server: Server): Promise<void> {
  for (;;) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (!portsUsed.has(port)) return void portsUsed.add(port);
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Ends a response with JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}

/** Returns the base URL of a loopback port that refuses connections. */
export async function findClosedUrl(): Promise<string> {
  const server = createHttpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Returns endpoints that name this base URL for every service. */
export function endpointsAt(url: string) {
  return { api: url, upload: url, walrusUpload: url, x402: url, gateway: url, walrusGateway: url, keyNodes: url };
}
