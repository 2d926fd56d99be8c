import type { KeyShard } from "../../src/index.ts";
import { createServer, type Handler, sendJson, type TestServer } from "./http-server.ts";

/** How some of the key nodes behave, by their numbers; the others give their shard. */
type Behaviours = Readonly<Record<number, Handler>>;

/** The network's services where a file is read back. */
export interface KeyNetwork extends TestServer {
  /** From now on the nodes behave like this. */
  behave(behaviours: Behaviours): void;
  /** Numbers of the nodes asked for a shard, in order. */
  asked(): number[];
  /** How often the file was fetched. */
  fetched(): number;
}

/** Key nodes that hold these shards, and a gateway that gives this file. */
export async function createKeyNetwork(
  keyShards: readonly KeyShard[],
  file: Uint8Array = new Uint8Array(0),
): Promise<KeyNetwork> {
  let now: Behaviours = {};
  const server = await createServer((request, response, incoming) => {
    if (request.path.startsWith("/api/v0/cat/")) return response.end(file);
    const node = nodeOf(request.path);
    const bad = now[node];
    return bad ? bad(request, response, incoming) : sendJson(response, { payload: keyShards[node - 1] });
  });
  return {
    ...server,
    behave(behaviours) {
      now = behaviours;
    },
    asked: () =>
      server.requests.flatMap(({ path }) => (path.startsWith("/api/retrieveSharedKey/") ? [nodeOf(path)] : [])),
    fetched: () => server.requests.filter(({ path }) => path.startsWith("/api/v0/cat/")).length,
  };
}

function nodeOf(path: string): number {
  return Number(/^\/api\/retrieveSharedKey\/(\d)$/.exec(path)?.[1]);
}

/** A node that is down. */
export const down: Handler = (_, __, incoming) => incoming.socket.resetAndDestroy();

/** A node that answers this JSON. */
export function answers(value: unknown, status = 200): Handler {
  return (_, response) => sendJson(response, value, status);
}
