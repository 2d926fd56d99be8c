import type { Hono } from "hono";
import { type Env, jsonApp } from "../http/json.ts";
import type { Network } from "../network.ts";
import { addDealRoutes } from "./deals.ts";
import { addFileRoutes } from "./files.ts";
import { addIpnsRoutes } from "./ipns.ts";
import { addKeyRoutes } from "./keys.ts";

/** The API host. */
export function apiService(network: Network): Hono<Env> {
  const app = jsonApp();
  addKeyRoutes(app, network);
  addFileRoutes(app, network);
  addDealRoutes(app, network);
  addIpnsRoutes(app, network);
  return app;
}
