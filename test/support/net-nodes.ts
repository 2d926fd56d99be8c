import type { KeyShard } from "../../src/index.ts";
import { createServer, type Handler, sendJson, type TestServer } from "./http-server.ts";

/** Handlers of some key nodes, by number; the others return their shard. */
type Handlers = Readonly<Record<number, Handler>>;

/** The services that a decryption calls. */
export interface KeyNetwork extends TestServer {
  /** Replaces the handlers of all nodes. */
  setHandlers(handlers: Handlers): void;
  /** Numbers of the nodes that a shard was requested from, in order. */
  requestedNodes(): number[];
  /** Number of downloads of the file. */
  countDownloads(): number;
}

/** Creates key nodes that hold these shards, and a gateway that serves this file. */
export async function createKeyNetwork(
  keyShards: readonly KeyShard[],
  file: Uint8Array = new Uint8Array(0),
): Promise<KeyNetwork> {
  let current: Handlers = {};
  const server = await createServer((request, response, incoming) => {
    if (request.path.startsWith("/api/v0/cat/")) return response.end(file);
    const node = readNode(request.path);
    const handler = current[node];
    return handler ? handler(request, response, incoming) : sendJson(response, { payload: keyShards[node - 1] });
  });
  return {
    ...server,
    setHandlers(handlers) {
      current = handlers;
    },
    requestedNodes: () =>
      server.requests.flatMap(({ path }) => (path.startsWith("/api/retrieveSharedKey/") ? [readNode(path)] : [])),
    countDownloads: () => server.requests.filter(({ path }) => path.startsWith("/api/v0/cat/")).length,
  };
}

function readNode(path: string): number {
  return Number(/^\/api\/retrieveSharedKey\/(\d)$/.exec(path)?.[1]);
}

/** Resets the connection, as if the node were down. */
export const down: Handler = (_, __, incoming) => incoming.socket.resetAndDestroy();

/** Creates a handler that responds with this JSON. */
export function respondWith(value: unknown, status = 200): Handler {
  return (_, response) => sendJson(response, value, status);
}
