import type { Context } from "hono";
import { type Auth, accountOf } from "../auth/bearers.ts";
import { contentKey } from "../content/cids.ts";
import { type Env, Refusal } from "../http/json.ts";

/** The account that asks; without a valid bearer it is refused with 401. */
export async function accountFor(auth: Auth, c: Context<Env>): Promise<string> {
  const address = await accountOf(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Unauthorized");
  return address;
}

/** The content id in the query, as it is spelt there; anything else is refused with 400. */
export function cidFrom(c: Context<Env>): string {
  const cid = c.req.query("cid") ?? "";
  if (contentKey(cid) === undefined) throw new Refusal(400, "Invalid CID");
  return cid;
}
