import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import type { CID } from "multiformats/cid";
import { normalizeAddress } from "./accounts.ts";
import type { FileRecord, StoredFile } from "./content/ledger.ts";
import { parseCid, toContentKey } from "./content/store.ts";
import { type Auth, checkSignature, findAccount, getMessage } from "./credentials.ts";
import { toDealResponse } from "./deals.ts";
import { createJsonApp, type Env, Refusal, readFields } from "./http/json.ts";
import { getRoom, type Network } from "./network.ts";
import { measureTrees } from "./upload/measure.ts";

/** Creates the API host. */
export function createApiService(network: Network): Hono<Env> {
  const app = createJsonApp();
  addKeyRoutes(app, network);
  addFileRoutes(app, network);
  addPinRoutes(app, network);
  addDealRoutes(app, network);
  addIpnsRoutes(app, network);
  return app;
}

/** Messages to sign, and API keys in exchange for their signatures. */
function addKeyRoutes(app: Hono<Env>, network: Network): void {
  const message = (c: Context<Env>) => c.json(getMessage(network, "api", readAddress(c.req.query("publicKey"))));
  app.get("/api/auth/get_auth_message", message);
  app.get("/api/auth/get_message", message);

  app.post("/api/auth/create_api_key", async (c) => {
    const { publicKey, signedMessage } = await readFields(c);
    const address = readAddress(publicKey);
    checkSignature(network, "api", address, signedMessage);
    return c.json(network.auth.apiKeys.create(address));
  });
}

function readAddress(value: unknown): string {
  const address = normalizeAddress(value);
  if (address === undefined) throw new Refusal(400, "Invalid public Key");
  return address;
}

/** Stored files and their total size, by account. */
function addFileRoutes(app: Hono<Env>, network: Network): void {
  const { auth, ledger, options, attacks } = network;
  const describe = ({ storage, ...record }: StoredFile): FileRecord | undefined => {
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
    const annual = await getRoom(network, address, "annual");
    const lifetime = await getRoom(network, address, "lifetime");
    const walrus = await getRoom(network, address, "walrus");
    return c.json({
      dataLimit: annual.limit,
      dataUsed: annual.used,
      dataLimitPermanent: lifetime.limit,
      dataUsedPermanent: lifetime.used,
      walrusDataLimit: walrus.limit,
      walrusDataUsed: walrus.used,
    });
  });

  app.get("/api/user/files_uploaded", async (c) => {
    const address = await requireAccount(auth, c);
    const lastKey = c.req.query("lastKey") ?? "null";
    const fileType = c.req.query("fileType") ?? "all";
    const page = await attacks.replay({ service: "api" }, `files ${address} ${lastKey} ${fileType}`, () => {
      const listed = ledger.list(address).filter(({ storage }) => fileType === "all" || fileType === storage);
      const records = listed.flatMap((record) => describe(record) ?? []);
      const last = records.findIndex(({ id }) => id === lastKey);
      if (last === -1 && lastKey !== "null" && lastKey !== "") throw new Refusal(400, "Invalid lastKey");
      return { fileList: records.slice(last + 1, last + 1 + options.pageSize), totalFiles: records.length };
    });
    return c.json(page);
  });

  const remove = (isWalrus: boolean) => async (c: Context<Env>) => {
    const address = await requireAccount(auth, c);
    const isMeant = (storage: string) => (storage === "walrus") === isWalrus;
    if (!ledger.remove(address, c.req.query("id") ?? "", isMeant)) throw new Refusal(404, "File not found");
    return c.json({ message: "File deleted successfully." });
  };
  app.delete("/api/user/delete_file", remove(false));
  app.delete("/api/user/delete_file_walrus", remove(true));

  app.get("/api/lighthouse/walrus_blobs", (c) => {
    const cid = readCid(c);
    return c.json({ blobIds: ledger.isStoredAs("walrus", cid) ? [toBlobId(cid)] : [] });
  });
}

/** Derives the id of the only blob of a file: 43 base64url characters. */
function toBlobId(cid: string): string {
  const content = `blob ${toContentKey(cid)}`;
  return createHash("sha256").update(content).digest("base64url");
}

/** Adds content that the devnet stores to the files of an account, as `annual`. Pinning it again changes nothing. */
function addPinRoutes(app: Hono<Env>, network: Network): void {
  const { auth, ledger } = network;
  app.post("/api/lighthouse/pin", async (c) => {
    const address = await requireAccount(auth, c);
    const { cid, fileName } = await readFields(c);
    const root = typeof cid === "string" ? parseCid(cid) : undefined;
    if (typeof cid !== "string" || !root) throw new Refusal(400, "Invalid CID");
    if (fileName !== undefined && typeof fileName !== "string") throw new Refusal(400, "Invalid fileName");
    const stored = await findStored(network, cid, root);
    if (!stored) throw new Refusal(404, "Content not found");
    if (!ledger.has(address, cid)) {
      const { limit, used } = await getRoom(network, address, "annual");
      if (stored.size > limit - used) throw new Refusal(403, "Data limit exceeded");
      ledger.add({ ...stored, publicKey: address, fileName: fileName || cid, cid, storage: "annual" });
    }
    return c.json({ message: "success", data: { cid } });
  });
}

/** Returns what is known of content: of a file or folder that was uploaded, or of a file in one. */
async function findStored({ ledger, content }: Network, cid: string, root: CID) {
  const record = ledger.findFirst(cid);
  if (record) {
    const { mimeType, encryption, fileSizeInBytes } = record;
    return { mimeType, encryption, size: Number(fileSizeInBytes) };
  }
  // Nobody has measured what was not uploaded as a root.
  const tree = (await measureTrees([root], content.read).catch(() => undefined))?.trees[0];
  return tree?.kind === "file" ? { mimeType: null, encryption: false, size: tree.bytes } : undefined;
}

/** Deals with storage providers, proofs that they include a file, and coin prices. */
function addDealRoutes(app: Hono<Env>, { auth, ledger, deals, pdp, tickers }: Network): void {
  app.get("/api/lighthouse/deal_status", async (c) => {
    const deal = await deals.find(readCid(c));
    return c.json(deal ? [toDealResponse(deal)] : []);
  });

  app.get("/api/lighthouse/get_proof", async (c) => {
    const deal = await deals.find(readCid(c));
    if (!deal) throw new Refusal(400, "Proof Doesn't exist yet");
    const { dealId, storageProvider, inclusion } = deal;
    const { aggregateCid: pieceCID, proof } = inclusion;
    return c.json({ pieceCID, dealInfo: [{ dealId, storageProvider, proof }] });
  });

  app.get("/api/lighthouse/pdp_deal_request", async (c) => {
    const address = await requireAccount(auth, c);
    const cid = readCid(c);
    if (!ledger.has(address, cid)) throw new Refusal(404, "File not found");
    pdp.request(address, cid);
    return c.json("Success");
  });

  app.get("/api/lighthouse/pdp_deal_status", (c) => c.json(pdp.list(readCid(c))));

  app.get("/api/lighthouse/get_ticker", (c) => {
    const price = tickers.get((c.req.query("symbol") ?? "").toUpperCase());
    if (price === undefined) throw new Refusal(400, "Unknown symbol");
    return c.json(price);
  });
}

const UNKNOWN_KEY = "no key by the given name was found";

/** Mutable names that point to content ids. */
function addIpnsRoutes(app: Hono<Env>, { auth, ipns }: Network): void {
  app.get("/api/ipns/generate_key", async (c) => {
    const { ipnsName, ipnsId } = ipns.create(await requireAccount(auth, c));
    return c.json({ ipnsName, ipnsId });
  });

  app.get("/api/ipns/get_ipns_records", async (c) => c.json(ipns.list(await requireAccount(auth, c))));

  app.get("/api/ipns/publish_record", async (c) => {
    const account = await requireAccount(auth, c);
    const cid = readCid(c);
    const record = ipns.publish(account, c.req.query("keyName") ?? "", cid);
    if (!record) throw new Refusal(500, UNKNOWN_KEY);
    return c.json({ Name: record.ipnsId, Value: `/ipfs/${cid}` });
  });

  app.delete("/api/ipns/remove_key", async (c) => {
    const record = ipns.remove(await requireAccount(auth, c), c.req.query("keyName") ?? "");
    if (!record) throw new Refusal(500, UNKNOWN_KEY);
    return c.json({ Keys: [{ Name: record.ipnsName, Id: record.ipnsId }] });
  });
}

/** Returns the account of the request's bearer; refuses with 401 if there is none. */
async function requireAccount(auth: Auth, c: Context<Env>): Promise<string> {
  const address = await findAccount(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Unauthorized");
  return address;
}

/** Returns the content id in the query, unchanged; refuses anything else with 400. */
function readCid(c: Context<Env>): string {
  const cid = c.req.query("cid") ?? "";
  if (toContentKey(cid) === undefined) throw new Refusal(400, "Invalid CID");
  return cid;
}
