import { createServer, type Handler, sendJson, type TestServer } from "./http-server.ts";
import { type ParsedPart, parseMultipart } from "./multipart.ts";

/** A shard that a key node was given. */
interface SavedShard {
  node: number;
  cid: string;
  payload: { key: string; index: string };
}

/** An upload node, key nodes and a gateway that hold what they are given. */
export interface MemoryNetwork extends TestServer {
  /** Uploaded files by content id. */
  files: Map<string, Uint8Array>;
  /** What the key nodes were given, in order. */
  saved: SavedShard[];
  /** Serves requests that `when` is true of instead, as often as told. */
  instead(when: (path: string) => boolean, handler: Handler, times?: number): void;
}

/** Content ids are made up: one per file, in order. */
export function cidOf(at: number): string {
  const digits = at.toString(2).replace(/0/g, "a").replace(/1/g, "b");
  return `bafkrei${digits.padStart(51, "a")}a`;
}

export async function createMemoryNetwork(): Promise<MemoryNetwork> {
  const files = new Map<string, Uint8Array>();
  const saved: SavedShard[] = [];
  let replaced: { when: (path: string) => boolean; handler: Handler; left: number }[] = [];

  const server = await createServer(async (request, response, incoming) => {
    const { path, body } = request;
    let parts: ParsedPart[] = [];
    if (path === "/api/v0/add") parts = await parseMultipart(request.headers, body);
    const hit = replaced.find(({ when, left }) => left > 0 && when(path));
    if (hit) hit.left--;
    if (path === "/api/v0/add") {
      const stored = parts.map(({ filename, bytes }) => {
        const Hash = cidOf(files.size);
        files.set(Hash, bytes);
        return { Name: filename, Hash, Size: String(bytes.length) };
      });
      return hit ? hit.handler(request, response, incoming) : sendJson(response, stored);
    }
    if (hit) return hit.handler(request, response, incoming);
    const [, service, last = ""] = /^\/api\/(?:v0\/)?(\w+)\/(\w+)$/.exec(path) ?? [];
    if (service === "cat") return response.end(files.get(last));
    const node = Number(last);
    const { cid, payload } = JSON.parse(body.toString()) as Omit<SavedShard, "node">;
    if (service === "retrieveSharedKey") {
      return sendJson(response, {
        payload: saved.find((shard) => shard.node === node && shard.cid === cid)?.payload ?? null,
      });
    }
    saved.push({ node, cid, payload });
    return sendJson(response, { message: "success" });
  });

  return {
    ...server,
    files,
    saved,
    instead(when, handler, times = Number.POSITIVE_INFINITY) {
      replaced = [...replaced, { when, handler, left: times }];
    },
  };
}
