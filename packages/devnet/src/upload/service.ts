import type { ServerResponse } from "node:http";
import type { Context, Hono } from "hono";
import type { AttackBook } from "../attack-book.ts";
import type { Imported } from "../content/importer.ts";
import { findUploader } from "../credentials.ts";
import { createJsonApp, type Env, Refusal } from "../http/json.ts";
import { getRoom, type Network } from "../network.ts";
import type { ResponseForm } from "../options.ts";
import { findRoots, type ReceiveContext, type Received, receive, receiveCar } from "./receive.ts";

/**
 * Creates an upload node: stores multipart bodies with files or with a CAR file, and responds with content ids.
 *
 * @param storage - class of all that is uploaded. Default: the one that an upload names, or `annual`
 */
export function createUploadService(network: Network, storage?: string): Hono<Env> {
  const readStorage = (c: Context<Env>) => storage ?? (c.req.header("x-storage-type") || "annual");
  const app = createJsonApp();
  app.post("/api/v0/add", async (c) => {
    const wrap = c.req.query("wrap-with-directory") === "true";
    const shape = { cidVersion: readCidVersion(c), wrap, ...network.options.chunking };
    return storeUpload(network, c, readStorage(c), (context) => receive(c.env.incoming, context, shape));
  });
  app.post("/api/v0/dag/import", (c) =>
    storeUpload(network, c, readStorage(c), (context) => receiveCar(c.env.incoming, context)),
  );
  return app;
}

function readCidVersion(c: Context<Env>): 0 | 1 {
  const version = c.req.query("cid-version") ?? "0";
  if (version !== "0" && version !== "1") throw new Refusal(400, "Unsupported cid-version");
  return version === "1" ? 1 : 0;
}

/** Stores what `receive` reads from the body for the authenticated account, and responds with its content ids. */
async function storeUpload(
  network: Network,
  c: Context<Env>,
  storage: string,
  receive: (context: ReceiveContext) => Promise<Received>,
) {
  const { auth, content, ledger, options, attacks } = network;
  const address = await findUploader(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Authentication failed", "error");
  const encrypted = c.req.header("encryption") === "true";

  const signal = abortOnClose(c.env.outgoing);
  const spool = await content.openSpool();
  try {
    const { limit, used } = await getRoom(network, address, storage);
    const { entries, blocks } = await receive({ spool, allowance: limit - used, signal });
    signal.throwIfAborted();
    await spool.keep(blocks);
    const roots = findRoots(entries);
    // each encrypted file has its own key and is found by its own content id
    for (const entry of encrypted ? entries.filter(({ isFolder }) => !isFolder) : roots) {
      const { cid, path, bytes: size } = entry;
      const mimeType = c.req.header("mime-type") ?? entry.mimeType;
      ledger.add({ publicKey: address, fileName: path || cid, mimeType, cid, encryption: encrypted, storage, size });
    }
    const claimed = misreport(entries, attacks);
    const { body, type } = toUploadResponse(options.responseForm, claimed, misreport(roots, attacks), encrypted);
    return c.body(body, 200, { "content-type": type });
  } finally {
    await spool.discard();
  }
}

/** Returns what the response says was stored. */
function misreport(entries: readonly Imported[], attacks: AttackBook): readonly Imported[] {
  const items = entries.map(({ path, cid }) => ({ Name: path, Hash: cid }));
  const claims = attacks.find("misreport-upload")?.change(items) ?? items;
  const unknown: Imported = { path: "", cid: "", bytes: 0, treeBytes: 0, isFolder: false };
  return claims.map(({ Name, Hash }, index) => ({ ...(entries[index] ?? unknown), path: Name, cid: Hash }));
}

/** Aborts when the connection closes before the response: the client has disconnected, or the devnet closes. */
function abortOnClose(outgoing: ServerResponse): AbortSignal {
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  return closed.signal;
}

/**
 * Formats the response to an upload.
 *
 * @param entries files, then folders, the root last.
 * @param roots those of them that are in no folder.
 * @param encrypted with the form `auto`, the response to an encrypted upload is a list of its files.
 */
function toUploadResponse(
  form: ResponseForm,
  entries: readonly Imported[],
  roots: readonly Imported[],
  encrypted: boolean,
): { body: string; type: string } {
  const all = entries.map(toItem);
  const root = all.at(-1);
  switch (form) {
    case "object":
      return toJson(root);
    case "list":
      return toJson(all);
    case "prefixed-list": {
      const progress = entries.map(({ path, treeBytes }) => JSON.stringify({ Name: path, Bytes: treeBytes }));
      return { body: `${progress.join("\n")}\n${JSON.stringify(all)}`, type: "text/plain; charset=utf-8" };
    }
    case "ndjson":
      return { body: all.map((one) => `${JSON.stringify(one)}\n`).join(""), type: "application/json" };
    case "auto":
      if (encrypted) return toJson(entries.filter(({ isFolder }) => !isFolder).map(toItem));
      return toJson(roots.length === 1 ? root : roots.map(toItem));
  }
}

function toItem({ path, cid, treeBytes }: Imported) {
  return { Name: path, Hash: cid, Size: String(treeBytes) };
}

function toJson(value: unknown) {
  return { body: JSON.stringify(value), type: "application/json" };
}
