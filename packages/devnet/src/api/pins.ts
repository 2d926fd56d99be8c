import type { Hono } from "hono";
import { toContentKey } from "../content/cids.ts";
import { type Env, Refusal, readFields } from "../http/json.ts";
import { getDataLimit, type Network } from "../network.ts";
import { requireAccount } from "./request-context.ts";

/** Adds content that the devnet stores to the files of an account. Pinning it again changes nothing. */
export function addPinRoutes(app: Hono<Env>, network: Network): void {
  const { auth, ledger } = network;
  app.post("/api/lighthouse/pin", async (c) => {
    const address = await requireAccount(auth, c);
    const { cid, fileName } = await readFields(c);
    const key = typeof cid === "string" ? toContentKey(cid) : undefined;
    if (typeof cid !== "string" || key === undefined) throw new Refusal(400, "Invalid CID");
    if (fileName !== undefined && typeof fileName !== "string") throw new Refusal(400, "Invalid fileName");
    const stored = await findStored(network, cid, key);
    if (!stored) throw new Refusal(404, "Content not found");
    const isPinned = ledger.list(address).some((record) => toContentKey(record.cid) === key);
    if (!isPinned) {
      const allowance = (await getDataLimit(network, address)) - ledger.sumBytes(address);
      if (stored.size > allowance) throw new Refusal(403, "Data limit exceeded");
      ledger.add({ ...stored, publicKey: address, fileName: fileName || cid, cid });
    }
    return c.json({ message: "success", data: { cid } });
  });
}

/** Returns what is known of content: of a file or folder that was uploaded, or of a file in one. */
async function findStored({ ledger, content }: Network, cid: string, key: string) {
  const record = ledger.findFirst(cid);
  if (record) {
    const { mimeType, encryption, fileSizeInBytes } = record;
    return { mimeType, encryption, size: Number(fileSizeInBytes) };
  }
  const file = await content.file(key);
  return file && { mimeType: null, encryption: false, size: file.size };
}
