import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import type { AttackBook } from "../attacks/attack-book.ts";
import { toContentKey } from "../content/cids.ts";
import type { ContentStore } from "../content/store.ts";
import { createJsonApp, type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { parseRange } from "./range.ts";

const READ_BYTES = 256 * 1024;

/** Creates the gateway: serves the bytes of a content id, or of a path below it, without authentication. */
export function createGatewayService({ content, ipns, attacks }: Network): Hono<Env> {
  const app = createJsonApp();
  const sendContent = createSender(content, attacks);
  app.post("/api/v0/cat/*", (c) => sendContent(c, getPathAfter(c, "/api/v0/cat/")));
  app.get("/ipfs/*", (c) => sendContent(c, getPathAfter(c, "/ipfs/")));
  app.get("/ipns/*", (c) => {
    const [ipnsId = "", ...names] = getPathAfter(c, "/ipns/");
    const cid = ipns.resolve(ipnsId);
    if (cid === undefined) throw new Refusal(404, "Not Found");
    return sendContent(c, [cid, ...names]);
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

/** Returns a handler that sends the content at a path, or what an attack makes of it. */
function createSender(content: ContentStore, attacks: AttackBook) {
  return async (c: Context<Env>, path: readonly string[]): Promise<Response> => {
    const key = await resolvePath(content, path);
    const file = await content.file(key);
    const attack = attacks.find("tamper-content", { cid: key });
    if (!file || !attack) return sendStored(c, content, key, file);
    const { outgoing } = c.env;
    const bytes = attack.change(await readFile(file.path));
    outgoing.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes.byteLength });
    outgoing.end(bytes);
    return RESPONSE_ALREADY_SENT;
  };
}

async function sendStored(
  c: Context<Env>,
  content: ContentStore,
  key: string,
  file: Awaited<ReturnType<ContentStore["file"]>>,
): Promise<Response> {
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
