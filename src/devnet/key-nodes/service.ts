import type { Hono } from "hono";
import { type Env, jsonApp } from "../http/json.ts";
import type { Network } from "../network.ts";
import { addAccessRoutes } from "./access.ts";
import { addShardRoutes } from "./shards.ts";
import { addTokenRoutes } from "./tokens.ts";

/** The five key nodes behind their one host. */
export function keyNodesService(network: Network): Hono<Env> {
  const app = jsonApp();
  addTokenRoutes(app, network);
  addShardRoutes(app, network);
  addAccessRoutes(app, network);
  return app;
}
