import type { Context } from "hono";
import { type Auth, findAccount } from "../auth/bearers.ts";
import { toContentKey } from "../content/cids.ts";
import { type Env, Refusal } from "../http/json.ts";

/** Returns the account of the request's bearer; refuses with 401 if there is none. */
export async function requireAccount(auth: Auth, c: Context<Env>): Promise<string> {
  const address = await findAccount(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Unauthorized");
  return address;
}

/** Returns the content id in the query, unchanged; refuses anything else with 400. */
export function readCid(c: Context<Env>): string {
  const cid = c.req.query("cid") ?? "";
  if (toContentKey(cid) === undefined) throw new Refusal(400, "Invalid CID");
  return cid;
}
