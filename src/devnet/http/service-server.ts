import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { KeeplightError } from "../../errors/base.ts";
import type { Service } from "../faults/fault.ts";
import { act, type Liars, resetConnection } from "../faults/fault-actions.ts";
import type { FaultBook } from "../faults/fault-book.ts";
import { allowAnyOrigin } from "./cors.ts";
import type { Env } from "./json.ts";
import type { RequestLog } from "./request-log.ts";

/** What stands between the wire and every service. */
export interface Gate {
  faults: FaultBook;
  liars: Liars;
  log: RequestLog;
  stoppedNodes: ReadonlySet<number>;
  nodeCount: number;
}

/** A service that listens. */
export interface ServiceServer {
  /** Base URL without a trailing slash. */
  url: string;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/**
 * Serves `app` on 127.0.0.1. Every request is logged, then meets stopped nodes and faults, then the app.
 *
 * @throws KeeplightError `INVALID_OPTION` if the port is taken.
 */
export async function serve(service: Service, app: Hono<Env>, port: number, gate: Gate): Promise<ServiceServer> {
  // global Request and Response belong to whoever imports this package
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  const server = createServer((incoming, outgoing) => admit(service, gate, incoming, outgoing, listener));
  // a slow upload of many GiB is no attack here
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(cannotListen(port, cause)));
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function admit(
  service: Service,
  gate: Gate,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): void {
  const method = incoming.method ?? "";
  const path = incoming.url ?? "";
  const node = service === "keyNodes" ? nodeOf(path, gate.nodeCount) : undefined;
  const end = gate.log.begin({ service, method, path, node });
  // what an early answer left of the body is read and thrown away, so that the connection stays of use
  outgoing.once("finish", () => incoming.resume());
  outgoing.once("close", () => end(outgoing.headersSent ? outgoing.statusCode : 0));

  if (service === "keyNodes" && isDead(node, gate)) {
    resetConnection(incoming);
    return;
  }
  const action = gate.faults.strike({ service, node, method, path });
  const serveRequest = () => {
    if (!allowAnyOrigin(incoming, outgoing)) void listener(incoming, outgoing);
  };
  if (!action) {
    serveRequest();
    return;
  }
  // a page must be able to read a faulty answer as well
  if (action.kind === "respond" && method !== "OPTIONS") allowAnyOrigin(incoming, outgoing);
  act(action, { incoming, outgoing, serve: serveRequest }, gate.liars);
}

/** The key node that a path is for: its last segment. Other calls are answered by whichever node is up. */
function nodeOf(path: string, nodeCount: number): number | undefined {
  const node = Number(/\/(\d)(?:\?|$)/.exec(path)?.[1]);
  return node >= 1 && node <= nodeCount ? node : undefined;
}

function isDead(node: number | undefined, { stoppedNodes, nodeCount }: Gate): boolean {
  return node === undefined ? stoppedNodes.size === nodeCount : stoppedNodes.has(node);
}

function cannotListen(port: number, cause: unknown): KeeplightError {
  return new KeeplightError("INVALID_OPTION", `Cannot listen on port ${port} of 127.0.0.1`, {
    details: { port },
    cause,
  });
}
