import type { Hono } from "hono";
import { type Env, jsonApp } from "../http/json.ts";
import type { Network } from "../network.ts";
import { addFileRoutes } from "./files.ts";
import { addKeyRoutes } from "./keys.ts";

/** The API host. */
export function apiService(network: Network): Hono<Env> {
  const app = jsonApp();
  addKeyRoutes(app, network);
  addFileRoutes(app, network);
  return app;
}
