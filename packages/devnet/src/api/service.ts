import type { Hono } from "hono";
import { createJsonApp, type Env } from "../http/json.ts";
import type { Network } from "../network.ts";
import { addDealRoutes } from "./deals.ts";
import { addFileRoutes } from "./files.ts";
import { addIpnsRoutes } from "./ipns.ts";
import { addKeyRoutes } from "./keys.ts";
import { addPinRoutes } from "./pins.ts";

/** Creates the API host. */
export function createApiService(network: Network): Hono<Env> {
  const app = createJsonApp();
  addKeyRoutes(app, network);
  addFileRoutes(app, network);
  addPinRoutes(app, network);
  addDealRoutes(app, network);
  addIpnsRoutes(app, network);
  return app;
}
