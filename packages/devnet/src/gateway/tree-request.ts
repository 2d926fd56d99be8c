import type { Context } from "hono";
import type { EntityBytes, TreeScope } from "../content/walk-tree.ts";
import { type Env, Refusal } from "../http/json.ts";

/** The part of a tree that a request for an archive is for. */
export interface TreeRequest {
  scope: TreeScope;
  bytes?: EntityBytes;
}

const scopes: readonly TreeScope[] = ["block", "entity", "all"];

/**
 * Reads the parameters `dag-scope` and `entity-bytes` (trustless gateway specification).
 *
 * @throws Refusal 400 if one is malformed.
 */
export function readTreeRequest(c: Context<Env>): TreeRequest {
  const scope = scopes.find((known) => known === (c.req.query("dag-scope") ?? "all"));
  if (!scope) throw new Refusal(400, "Invalid dag-scope");
  const range = c.req.query("entity-bytes");
  if (range === undefined) return { scope };
  const [, from, to] = /^(-?\d{1,15}):(-?\d{1,15}|\*)$/.exec(range) ?? [];
  if (from === undefined || to === undefined) throw new Refusal(400, "Invalid entity-bytes");
  return { scope: "entity", bytes: { from: Number(from), to: to === "*" ? undefined : Number(to) } };
}
