import type { Context, Hono } from "hono";
import { parseCid } from "../content/store.ts";
import { createJsonApp, type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import type { ContentRequest, Gateway } from "./respond.ts";
import { readRequestedFormat, sendBlock, sendCar } from "./send-blocks.ts";
import { sendFile } from "./send-file.ts";

/**
 * Creates the gateway with this index: serves the content of a content id, or of a path below it, without
 * authentication: bytes, blocks and archives of blocks.
 */
export function createGatewayService(network: Network, index = 0): Hono<Env> {
  const { attacks, content, ipns, options } = network;
  const { formats = [], unsupported = 406 } = options.gateways[index] ?? {};
  const gateway: Gateway = { attacks, index, formats, readBlock: content.read };
  const app = createJsonApp();

  async function serve(c: Context<Env>, path: readonly string[], isImmutable: boolean): Promise<Response> {
    const request = parseContentPath(path, isImmutable);
    const format = readRequestedFormat(c);
    const isRefused = format && attacks.find("refuse-blocks", { cid: path[0] ?? "", gateway: index });
    if (isRefused) throw new Refusal(406, `Format ${format} is not served`);
    if (format && formats.includes(format)) {
      return format === "raw" ? sendBlock(gateway, c, request) : sendCar(gateway, c, request);
    }
    if (format && unsupported !== "file") throw new Refusal(unsupported, `Format ${format} is not served`);
    if (formats.includes("whole") || formats.includes("range")) return sendFile(gateway, c, request);
    throw new Refusal(unsupported === 400 ? 400 : 406, "Only blocks and archives of blocks are served");
  }

  app.post("/api/v0/cat/*", async (c) => {
    if (!formats.includes("whole")) throw new Refusal(404, "Not Found");
    return sendFile(gateway, c, parseContentPath(getPathAfter(c, "/api/v0/cat/"), false));
  });
  app.get("/ipfs/*", (c) => serve(c, getPathAfter(c, "/ipfs/"), true));
  app.get("/ipns/*", (c) => {
    const [ipnsId = "", ...names] = getPathAfter(c, "/ipns/");
    const cid = ipns.resolve(ipnsId);
    if (cid === undefined) throw new Refusal(404, "Not Found");
    return serve(c, [cid, ...names], false);
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

function parseContentPath([text = "", ...names]: readonly string[], isImmutable: boolean): ContentRequest {
  const root = parseCid(text);
  if (!root) throw new Refusal(400, "Invalid CID");
  return { text, root, names, isImmutable };
}
