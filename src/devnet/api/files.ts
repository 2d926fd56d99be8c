import type { Context, Hono } from "hono";
import { accountOf } from "../auth/bearers.ts";
import { contentKey } from "../content/cids.ts";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";

/** What is stored, by whom, and how much of it. */
export function addFileRoutes(app: Hono<Env>, { auth, ledger, options }: Network): void {
  const account = async (c: Context<Env>): Promise<string> => {
    const address = await accountOf(auth, c.req.header("authorization"));
    if (address === undefined) throw new Refusal(401, "Unauthorized");
    return address;
  };

  app.get("/api/lighthouse/file_info", (c) => {
    const cid = c.req.query("cid") ?? "";
    if (contentKey(cid) === undefined) throw new Refusal(400, "Invalid CID");
    const record = ledger.find(cid);
    if (!record) throw new Refusal(404, "File not found");
    const { fileSizeInBytes, encryption, fileName, mimeType, txHash } = record;
    return c.json({ fileSizeInBytes, cid: record.cid, encryption, fileName, mimeType, txHash });
  });

  app.get("/api/user/user_data_usage", async (c) => {
    const dataUsed = ledger.used(await account(c));
    return c.json({ dataLimit: options.dataLimit, dataUsed, dataLimitPermanent: 0, dataUsedPermanent: 0 });
  });

  app.get("/api/user/files_uploaded", async (c) => {
    const records = ledger.list(await account(c));
    const lastKey = c.req.query("lastKey") ?? "null";
    const last = records.findIndex(({ id }) => id === lastKey);
    if (last === -1 && lastKey !== "null" && lastKey !== "") throw new Refusal(400, "Invalid lastKey");
    const fileList = records.slice(last + 1, last + 1 + options.pageSize);
    return c.json({ fileList, totalFiles: records.length });
  });

  app.delete("/api/user/delete_file", async (c) => {
    if (!ledger.remove(await account(c), c.req.query("id") ?? "")) throw new Refusal(404, "File not found");
    return c.json({ message: "File deleted successfully." });
  });
}
