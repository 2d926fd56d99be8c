import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { invalidDevnetOption } from "../check-options.ts";
import { applyFault, type Marks, resetConnection } from "../fault-actions.ts";
import type { FaultBook, Service } from "../faults.ts";
import type { Address, ListenAddress } from "../host.ts";
import { NODE_COUNT } from "../key-nodes/shard-store.ts";
import type { Certificate } from "./certificate.ts";
import type { Env } from "./json.ts";

/** What every request passes before it reaches a service. */
export interface Gate extends Marks, Address {
  faults: FaultBook;
  log: RequestLog;
  stoppedNodes: ReadonlySet<number>;
  /** For HTTPS. */
  certificate: Certificate | undefined;
}

/** Which service a server is. */
export interface ServerIdentity {
  service: Service;
  /** Index of a gateway. */
  gateway?: number | undefined;
}

/** Bytes that a client may send before they are read: per request, and per connection (HTTP/2). */
const REQUEST_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 4 * 1024 * 1024;

/**
 * Serves `app`. Every request is logged, then checked against stopped nodes and faults, then handled.
 *
 * @throws DevnetError `INVALID_OPTION` if the port is taken.
 */
export async function serve(identity: ServerIdentity, app: Hono<Env>, port: number, gate: Gate) {
  const listener = createListener(app);
  const server = createHttpServer(gate.certificate, (incoming, outgoing) =>
    handleRequest(identity, gate, incoming, outgoing, listener),
  );
  // slow uploads of many GiB are legitimate here
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  const { port: actualPort, close } = await listen(server, port, gate.host);
  return { url: `${gate.certificate ? "https" : "http"}://${gate.publicHost}:${actualPort}`, close };
}

/** Serves `app` by HTTP alone: its requests are not logged, no fault hits them, and pages cannot read its responses. */
export async function serveUngated(app: Hono<Env>, { host, publicHost, port }: ListenAddress) {
  const listener = createListener(app);
  const server = createServer((incoming, outgoing) => {
    drainAfterResponse(incoming, outgoing);
    void listener(incoming, outgoing);
  });
  const { port: actualPort, close } = await listen(server, port, host);
  return { url: `http://${publicHost}:${actualPort}`, close };
}

function createListener(app: Hono<Env>) {
  // this package must not replace the global Request and Response of its importer
  return getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
}

/** Listens on `port` of `host`, or on a free one for 0; `close` stops listening and closes every connection. */
export async function listen(server: Server, port: number, host: string) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    const message = `Cannot listen on port ${port} of ${host}`;
    server.once("error", (cause) => reject(invalidDevnetOption(message, { port }, cause)));
    server.listen(port, host, resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

/** Creates a server of HTTP/1.1 or, with a certificate, of HTTPS with HTTP/2 and HTTP/1.1. */
function createHttpServer(
  certificate: Certificate | undefined,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Server {
  if (!certificate) return createServer(handle);
  const settings = { initialWindowSize: REQUEST_WINDOW_BYTES };
  const server = createSecureServer({ ...certificate, allowHTTP1: true, settings });
  server.on("session", (session) => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
  // requests and responses of HTTP/2 have the same methods, as far as they are used here
  return (server as unknown as Server).on("request", handle);
}

function handleRequest(
  { service, gateway }: ServerIdentity,
  gate: Gate,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): void {
  const method = incoming.method ?? "";
  const path = incoming.url ?? "";
  const node = service === "keyNodes" ? getKeyNode(path) : undefined;
  const end = gate.log.start({ service, method, path, node, gateway });
  drainAfterResponse(incoming, outgoing);
  outgoing.once("close", () => end(outgoing.headersSent ? outgoing.statusCode : 0));

  if (service === "keyNodes" && isStopped(node, gate)) {
    resetConnection(incoming);
    return;
  }
  const isPaid = incoming.headers["payment-signature"] !== undefined;
  const action = gate.faults.strike({ service, node, gateway, method, path, isPaid });
  const serveRequest = () => {
    if (!allowAnyOrigin(incoming, outgoing)) void listener(incoming, outgoing);
  };
  if (!action) {
    serveRequest();
    return;
  }
  // a page must be able to read a faulty response too
  if (action.kind === "respond" && method !== "OPTIONS") allowAnyOrigin(incoming, outgoing);
  applyFault(action, { incoming, outgoing, serve: serveRequest }, gate);
}

/** Drains the body that an early response leaves unread, so that the connection stays reusable. */
function drainAfterResponse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => incoming.resume());
}

/** Returns the key node in the last segment of a path. Any running node serves other calls. */
function getKeyNode(path: string): number | undefined {
  const node = Number(/\/(\d)(?:\?|$)/.exec(path)?.[1]);
  return node >= 1 && node <= NODE_COUNT ? node : undefined;
}

function isStopped(node: number | undefined, { stoppedNodes }: Gate): boolean {
  return node === undefined ? stoppedNodes.size === NODE_COUNT : stoppedNodes.has(node);
}

/** Headers of responses that pages may read. */
const EXPOSED_HEADERS = "Content-Length, Content-Range, Accept-Ranges, Retry-After, PAYMENT-REQUIRED, PAYMENT-RESPONSE";

/**
 * Allows requests from any origin, with credentials, and responds to preflights.
 *
 * @returns whether the request was a preflight, which is complete.
 */
function allowAnyOrigin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const { origin } = incoming.headers;
  if (origin === undefined) return false;
  outgoing.setHeader("Access-Control-Allow-Origin", origin);
  outgoing.setHeader("Access-Control-Allow-Credentials", "true");
  outgoing.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  outgoing.setHeader("Vary", "Origin");
  if (incoming.method !== "OPTIONS") return false;
  outgoing.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
  const headers = incoming.headers["access-control-request-headers"];
  outgoing.setHeader("Access-Control-Allow-Headers", headers ?? "Authorization, Content-Type, Encryption, Mime-Type");
  // not cached, so that a fault also applies to the next preflight
  outgoing.setHeader("Access-Control-Max-Age", "0");
  outgoing.writeHead(204).end();
  return true;
}

/** A received request; bodies, headers and tokens are not logged. */
export interface LoggedRequest {
  /** The requested service. */
  service: Service;
  /** In upper case. */
  method: string;
  /** Path and query. */
  path: string;
  /** Key node 1 to 5, for calls to a single one. */
  node: number | undefined;
  /** Index of the gateway in the devnet's `gateways`, for requests to one. */
  gateway: number | undefined;
  /** Status of the response; 0 while there is none, and permanently if the connection closed without one. */
  status: number;
  /** Milliseconds since the devnet started. */
  startedAt: number;
  /** Milliseconds since the devnet started; `undefined` while the request is pending. */
  endedAt: number | undefined;
}

/** Maximum requests in the log; older ones are dropped. */
const MAX_ENTRIES = 20_000;

type RequestLog = ReturnType<typeof createRequestLog>;

/** Creates an empty log of the received requests. */
export function createRequestLog() {
  const startTime = performance.now();
  const log: LoggedRequest[] = [];
  return {
    /** Logs a request; the returned function logs its response. */
    start(request: Omit<LoggedRequest, "status" | "startedAt" | "endedAt">): (status: number) => void {
      const startedAt = performance.now() - startTime;
      const entry: LoggedRequest = { ...request, status: 0, startedAt, endedAt: undefined };
      log.push(entry);
      // in large steps, since each one copies the whole list
      if (log.length > 2 * MAX_ENTRIES) log.splice(0, MAX_ENTRIES);
      return (status) => {
        entry.status = status;
        entry.endedAt = performance.now() - startTime;
      };
    },
    /** The logged requests, oldest first. */
    entries: (): readonly LoggedRequest[] => log.slice(-MAX_ENTRIES).map((entry) => ({ ...entry })),
  };
}
