import type { UploadedFile } from "../../src/index.ts";
import { createServer, type Handler, sendJson, type TestServer } from "./http-server.ts";
import { type ParsedPart, parseMultipart } from "./multipart.ts";
import { computeCid } from "./stored-rows.ts";

/** A shard that a key node received. */
interface SavedShard {
  node: number;
  cid: string;
  payload: { key: string; index: string };
}

/** An upload node, key nodes and a gateway that keep what they receive in memory. */
export interface MemoryNetwork extends TestServer {
  /** Uploaded files by CID, in order. */
  files: Map<string, Uint8Array>;
  /** Returns the CID of the nth uploaded file, counted from 0. */
  cidAt(index: number): string;
  /** The shards that the key nodes received, in order. */
  saved: SavedShard[];
  /** Handles the next `times` requests whose path `when` accepts with `handler`. Default: all of them. */
  override(when: (path: string) => boolean, handler: Handler, times?: number): void;
}

/** @param toCid - how the upload node computes CIDs */
export async function createMemoryNetwork(toCid = computeCid): Promise<MemoryNetwork> {
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
      const stored: UploadedFile[] = [];
      for (const { filename, bytes } of parts) {
        const Hash = await toCid(bytes);
        files.set(Hash, bytes);
        stored.push({ Name: filename, Hash, Size: String(bytes.length) });
      }
      return hit ? hit.handler(request, response, incoming) : sendJson(response, stored);
    }
    if (hit) return hit.handler(request, response, incoming);
    const [, service, last = ""] = /^\/api\/(?:v0\/|fileAccessConditions\/)?(\w+)\/(\w+)$/.exec(path) ?? [];
    if (path.startsWith("/ipfs/")) return response.writeHead(404).end();
    if (service === "cat") return response.end(files.get(last));
    if (service === "get") {
      const known = saved.some((shard) => shard.cid === last);
      return sendJson(response, known ? { owner: "somebody", cid: last } : null);
    }
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
    cidAt: (index) => [...files.keys()][index] ?? "",
    saved,
    override(when, handler, times = Number.POSITIVE_INFINITY) {
      replaced = [...replaced, { when, handler, left: times }];
    },
  };
}
