import type { Hono } from "hono";
import type { FileRecord } from "../content/ledger.ts";
import { type Env, Refusal } from "../http/json.ts";
import { getDataLimit, type Network } from "../network.ts";
import { readCid, requireAccount } from "./request-context.ts";

/** Stored files and their total size, by account. */
export function addFileRoutes(app: Hono<Env>, network: Network): void {
  const { auth, ledger, options, attacks } = network;
  const describe = (record: FileRecord): FileRecord | undefined => {
    const { claims = {} } = attacks.find("tamper-record", { cid: record.cid }) ?? {};
    return claims === null ? undefined : { ...record, ...claims };
  };
  app.get("/api/lighthouse/file_info", async (c) => {
    const cid = readCid(c);
    const info = await attacks.replay({ service: "api", cid }, `info ${cid}`, () => {
      const stored = ledger.find(cid);
      const record = stored && describe(stored);
      if (!record) throw new Refusal(404, "File not found");
      const { fileSizeInBytes, encryption, fileName, mimeType, txHash } = record;
      return { fileSizeInBytes, cid: record.cid, encryption, fileName, mimeType, txHash };
    });
    return c.json(info);
  });

  app.get("/api/user/user_data_usage", async (c) => {
    const address = await requireAccount(auth, c);
    const dataLimit = await getDataLimit(network, address);
    return c.json({ dataLimit, dataUsed: ledger.sumBytes(address), dataLimitPermanent: 0, dataUsedPermanent: 0 });
  });

  app.get("/api/user/files_uploaded", async (c) => {
    const address = await requireAccount(auth, c);
    const lastKey = c.req.query("lastKey") ?? "null";
    const page = await attacks.replay({ service: "api" }, `files ${address} ${lastKey}`, () => {
      const records = ledger.list(address).flatMap((record) => describe(record) ?? []);
      const last = records.findIndex(({ id }) => id === lastKey);
      if (last === -1 && lastKey !== "null" && lastKey !== "") throw new Refusal(400, "Invalid lastKey");
      return { fileList: records.slice(last + 1, last + 1 + options.pageSize), totalFiles: records.length };
    });
    return c.json(page);
  });

  app.delete("/api/user/delete_file", async (c) => {
    if (!ledger.remove(await requireAccount(auth, c), c.req.query("id") ?? ""))
      throw new Refusal(404, "File not found");
    return c.json({ message: "File deleted successfully." });
  });
}
