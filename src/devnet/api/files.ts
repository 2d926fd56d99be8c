import type { Hono } from "hono";
import { type Env, Refusal } from "../http/json.ts";
import { getDataLimit, type Network } from "../network.ts";
import { readCid, requireAccount } from "./request-context.ts";

/** Stored files and their total size, by account. */
export function addFileRoutes(app: Hono<Env>, network: Network): void {
  const { auth, ledger, options } = network;
  app.get("/api/lighthouse/file_info", (c) => {
    const record = ledger.find(readCid(c));
    if (!record) throw new Refusal(404, "File not found");
    const { fileSizeInBytes, encryption, fileName, mimeType, txHash } = record;
    return c.json({ fileSizeInBytes, cid: record.cid, encryption, fileName, mimeType, txHash });
  });

  app.get("/api/user/user_data_usage", async (c) => {
    const address = await requireAccount(auth, c);
    const dataLimit = await getDataLimit(network, address);
    return c.json({ dataLimit, dataUsed: ledger.sumBytes(address), dataLimitPermanent: 0, dataUsedPermanent: 0 });
  });

  app.get("/api/user/files_uploaded", async (c) => {
    const records = ledger.list(await requireAccount(auth, c));
    const lastKey = c.req.query("lastKey") ?? "null";
    const last = records.findIndex(({ id }) => id === lastKey);
    if (last === -1 && lastKey !== "null" && lastKey !== "") throw new Refusal(400, "Invalid lastKey");
    const fileList = records.slice(last + 1, last + 1 + options.pageSize);
    return c.json({ fileList, totalFiles: records.length });
  });

  app.delete("/api/user/delete_file", async (c) => {
    if (!ledger.remove(await requireAccount(auth, c), c.req.query("id") ?? ""))
      throw new Refusal(404, "File not found");
    return c.json({ message: "File deleted successfully." });
  });
}
