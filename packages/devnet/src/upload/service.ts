import type { Context, Hono } from "hono";
import { createJsonApp, type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { receive } from "./receive.ts";
import { receiveCar } from "./receive-car.ts";
import { storeUpload } from "./store-upload.ts";

/** Creates the upload node: stores multipart bodies with files or with a CAR file, and responds with content ids. */
export function createUploadService(network: Network): Hono<Env> {
  const app = createJsonApp();
  app.post("/api/v0/add", async (c) => {
    const wrap = c.req.query("wrap-with-directory") === "true";
    const shape = { cidVersion: readCidVersion(c), wrap, ...network.options.chunking };
    return storeUpload(network, c, (context) => receive(c.env.incoming, context, shape));
  });
  app.post("/api/v0/dag/import", (c) => storeUpload(network, c, (context) => receiveCar(c.env.incoming, context)));
  return app;
}

function readCidVersion(c: Context<Env>): 0 | 1 {
  const version = c.req.query("cid-version") ?? "0";
  if (version !== "0" && version !== "1") throw new Refusal(400, "Unsupported cid-version");
  return version === "1" ? 1 : 0;
}
