import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import { toContentKey } from "../content/cids.ts";
import type { ContentStore } from "../content/store.ts";
import { createJsonApp, type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { parseRange } from "./range.ts";

const READ_BYTES = 256 * 1024;

/** Creates the gateway: serves the bytes of a content id, or of a path below it, without authentication. */
export function createGatewayService({ content, ipns }: Network): Hono<Env> {
  const app = createJsonApp();
  app.post("/api/v0/cat/*", (c) => sendContent(c, content, getPathAfter(c, "/api/v0/cat/")));
  app.get("/ipfs/*", (c) => sendContent(c, content, getPathAfter(c, "/ipfs/")));
  app.get("/ipns/*", (c) => {
    const [ipnsId = "", ...names] = getPathAfter(c, "/ipns/");
    const cid = ipns.resolve(ipnsId);
    if (cid === undefined) throw new Refusal(404, "Not Found");
    return sendContent(c, content, [cid, ...names]);
  });
  return app;
}

function getPathAfter(c: Context<Env>, prefix: string): string[] {
  try {
    const path = decodeURIComponent(new URL(c.req.url).pathname.slice(prefix.length));
    return path.split("/").filter((segment) => segment !== "");
  } catch {
    throw new Refusal(400, "Invalid path");
  }
}

async function sendContent(c: Context<Env>, content: ContentStore, path: readonly string[]): Promise<Response> {
  const key = await resolvePath(content, path);
  const file = await content.file(key);
  if (!file) {
    const folder = await content.folder(key);
    if (!folder) throw new Refusal(404, "Not Found");
    if (c.req.method === "POST") throw new Refusal(500, "this dag node is a directory");
    return c.json(Object.entries(folder).map(([Name, Hash]) => ({ Name, Hash })));
  }

  const range = parseRange(c.req.header("range"), file.size);
  const { outgoing } = c.env;
  outgoing.setHeader("Accept-Ranges", "bytes");
  if (range === null) {
    outgoing.setHeader("Content-Range", `bytes */${file.size}`);
    throw new Refusal(416, "Range Not Satisfiable");
  }
  if (range) outgoing.setHeader("Content-Range", `bytes ${range.start}-${range.end}/${file.size}`);
  const length = range ? range.end - range.start + 1 : file.size;
  outgoing.writeHead(range ? 206 : 200, { "Content-Type": "application/octet-stream", "Content-Length": length });
  if (c.req.method === "HEAD" || length === 0) outgoing.end();
  // the pipeline fails if the client disconnects, which is no error of the gateway
  else await pipeline(createReadStream(file.path, { ...range, highWaterMark: READ_BYTES }), outgoing).catch(() => {});
  return RESPONSE_ALREADY_SENT;
}

/** Resolves a content id and the names after it to a content key. */
async function resolvePath(content: ContentStore, [cid = "", ...names]: readonly string[]): Promise<string> {
  let key = toContentKey(cid);
  if (key === undefined) throw new Refusal(400, "Invalid CID");
  for (const name of names) {
    const folder = await content.folder(key);
    key = folder && Object.hasOwn(folder, name) ? folder[name] : undefined;
    if (key === undefined) throw new Refusal(404, "Not Found");
  }
  return key;
}
