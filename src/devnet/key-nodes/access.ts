import type { Hono } from "hono";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";

/** Who may open a file: told by any node that is up, to anyone. */
export function addAccessRoutes(app: Hono<Env>, { shardStores, stoppedNodes }: Network): void {
  app.get("/api/fileAccessConditions/get/:cid", (c) => {
    const cid = c.req.param("cid");
    const kept = shardStores
      .filter((_, index) => !stoppedNodes.has(index + 1))
      .map((store) => store.get(cid))
      .find((found) => found !== undefined);
    if (!kept) throw new Refusal(404, "cid not found");
    return c.json({
      aggregator: "",
      owner: kept.owner,
      cid,
      sharedTo: kept.sharedTo,
      conditions: [],
      conditionsSolana: [],
    });
  });
}
