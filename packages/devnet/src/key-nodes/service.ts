import type { Hono } from "hono";
import { createJsonApp, type Env } from "../http/json.ts";
import type { Network } from "../network.ts";
import { addAccessRoutes } from "./access.ts";
import { addDelegateRoutes } from "./delegates.ts";
import { addShardRoutes } from "./shards.ts";
import { addTokenRoutes } from "./tokens.ts";

/** Creates the one host of the five key nodes. */
export function createKeyNodesService(network: Network): Hono<Env> {
  const app = createJsonApp();
  addTokenRoutes(app, network);
  addShardRoutes(app, network);
  addAccessRoutes(app, network);
  addDelegateRoutes(app, network);
  return app;
}
