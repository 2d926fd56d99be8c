import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import { contentKey } from "../content/cids.ts";
import type { ContentStore } from "../content/store.ts";
import { type Env, jsonApp, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { parseRange } from "./range.ts";

const READ_BYTES = 256 * 1024;

/** The gateway: gives the bytes of a content id, or of a path below it, to anyone. */
export function gatewayService({ content, ipns }: Network): Hono<Env> {
  const app = jsonApp();
  app.post("/api/v0/cat/*", (c) => sendContent(c, content, pathAfter(c, "/api/v0/cat/")));
  app.get("/ipfs/*", (c) => sendContent(c, content, pathAfter(c, "/ipfs/")));
  app.get("/ipns/*", (c) => {
    const [ipnsId = "", ...names] = pathAfter(c, "/ipns/");
    const cid = ipns.resolve(ipnsId);
    if (cid === undefined) throw new Refusal(404, "Not Found");
    return sendContent(c, content, [cid, ...names]);
  });
  return app;
}

function pathAfter(c: Context<Env>, prefix: string): string[] {
  try {
    const path = decodeURIComponent(new URL(c.req.url).pathname.slice(prefix.length));
    return path.split("/").filter((segment) => segment !== "");
  } catch {
    throw new Refusal(400, "Invalid path");
  }
}

async function sendContent(c: Context<Env>, content: ContentStore, path: readonly string[]): Promise<Response> {
  const key = await resolve(content, path);
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
  // a reader that goes away ends the pipeline with an error that nobody needs
  else await pipeline(createReadStream(file.path, { ...range, highWaterMark: READ_BYTES }), outgoing).catch(() => {});
  return RESPONSE_ALREADY_SENT;
}

/** The content key that a content id and the names after it lead to. */
async function resolve(content: ContentStore, [cid = "", ...names]: readonly string[]): Promise<string> {
  let key = contentKey(cid);
  if (key === undefined) throw new Refusal(400, "Invalid CID");
  for (const name of names) {
    const folder = await content.folder(key);
    key = folder && Object.hasOwn(folder, name) ? folder[name] : undefined;
    if (key === undefined) throw new Refusal(404, "Not Found");
  }
  return key;
}
