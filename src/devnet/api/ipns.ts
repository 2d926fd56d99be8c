import type { Hono } from "hono";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { accountFor, cidFrom } from "./request-context.ts";

/** Names that can be pointed at one content id after another. */
export function addIpnsRoutes(app: Hono<Env>, { auth, ipns }: Network): void {
  app.get("/api/ipns/generate_key", async (c) => {
    const { ipnsName, ipnsId } = ipns.create(await accountFor(auth, c));
    return c.json({ ipnsName, ipnsId });
  });

  app.get("/api/ipns/get_ipns_records", async (c) => c.json(ipns.list(await accountFor(auth, c))));

  app.get("/api/ipns/publish_record", async (c) => {
    const account = await accountFor(auth, c);
    const cid = cidFrom(c);
    const record = ipns.publish(account, c.req.query("keyName") ?? "", cid);
    if (!record) throw unknownKey();
    return c.json({ Name: record.ipnsId, Value: `/ipfs/${cid}` });
  });

  app.delete("/api/ipns/remove_key", async (c) => {
    const record = ipns.remove(await accountFor(auth, c), c.req.query("keyName") ?? "");
    if (!record) throw unknownKey();
    return c.json({ Keys: [{ Name: record.ipnsName, Id: record.ipnsId }] });
  });
}

function unknownKey(): Refusal {
  return new Refusal(500, "no key by the given name was found");
}
