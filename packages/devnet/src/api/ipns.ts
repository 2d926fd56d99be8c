import type { Hono } from "hono";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { readCid, requireAccount } from "./request-context.ts";

/** Mutable names that point to content ids. */
export function addIpnsRoutes(app: Hono<Env>, { auth, ipns }: Network): void {
  app.get("/api/ipns/generate_key", async (c) => {
    const { ipnsName, ipnsId } = ipns.create(await requireAccount(auth, c));
    return c.json({ ipnsName, ipnsId });
  });

  app.get("/api/ipns/get_ipns_records", async (c) => c.json(ipns.list(await requireAccount(auth, c))));

  app.get("/api/ipns/publish_record", async (c) => {
    const account = await requireAccount(auth, c);
    const cid = readCid(c);
    const record = ipns.publish(account, c.req.query("keyName") ?? "", cid);
    if (!record) throw unknownKeyRefusal();
    return c.json({ Name: record.ipnsId, Value: `/ipfs/${cid}` });
  });

  app.delete("/api/ipns/remove_key", async (c) => {
    const record = ipns.remove(await requireAccount(auth, c), c.req.query("keyName") ?? "");
    if (!record) throw unknownKeyRefusal();
    return c.json({ Keys: [{ Name: record.ipnsName, Id: record.ipnsId }] });
  });
}

function unknownKeyRefusal(): Refusal {
  return new Refusal(500, "no key by the given name was found");
}
