import type { Hono } from "hono";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { readAccountCall, readAddresses } from "./caller.ts";
import { createSuccess } from "./shards.ts";

/** Sets the accounts that may open all files of an owner on one node. The list replaces the former one. */
export function addDelegateRoutes(app: Hono<Env>, network: Network): void {
  app.post("/api/setAllFilesAccess/:node", async (c) => {
    const { store, address, fields } = await readAccountCall(network, c);
    const { allFilesAccess } = fields;
    if (!Array.isArray(allFilesAccess)) throw new Refusal(400, "Invalid allFilesAccess");
    store.setDelegates(address, readAddresses(allFilesAccess));
    return c.json(createSuccess());
  });
}
