import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import type { AttackBook } from "../attacks/attack-book.ts";
import { findUploader } from "../auth/bearers.ts";
import type { Imported } from "../content/importer.ts";
import { createTreeFile, type TreeFile } from "../content/tree-file.ts";
import { type Env, Refusal } from "../http/json.ts";
import { getDataLimit, type Network } from "../network.ts";
import { findRoots, type ReceiveContext, type Received, storeReceived } from "./received.ts";
import { toUploadResponse } from "./upload-response.ts";

/** Stores what `receive` reads from the body for the authenticated account, and responds with its content ids. */
export async function storeUpload(
  network: Network,
  c: Context<Env>,
  receive: (context: ReceiveContext) => Promise<Received>,
): Promise<Response> {
  const { auth, content, ledger, options, attacks } = network;
  const address = await findUploader(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Authentication failed", "error");
  const encrypted = c.req.header("encryption") === "true";

  const signal = abortOnClose(c.env.outgoing);
  const spool = await content.openSpool();
  let tree: TreeFile | undefined;
  try {
    tree = await createTreeFile(spool.dir);
    const allowance = (await getDataLimit(network, address)) - ledger.sumBytes(address);
    const context = { spoolDir: spool.dir, tree, allowance, signal };
    const received = await receive(context);
    signal.throwIfAborted();
    await storeReceived(content, context, received);
    const { entries } = received;
    const roots = findRoots(entries);
    // each encrypted file has its own key and is found by its own content id
    for (const entry of encrypted ? entries.filter(({ isFolder }) => !isFolder) : roots) {
      const { cid, path, bytes: size } = entry;
      const mimeType = c.req.header("mime-type") ?? entry.mimeType;
      ledger.add({ publicKey: address, fileName: path || cid, mimeType, cid, encryption: encrypted, size });
    }
    const claimed = misreport(entries, attacks);
    const { body, type } = toUploadResponse(options.responseForm, claimed, misreport(roots, attacks), encrypted);
    return c.body(body, 200, { "content-type": type });
  } finally {
    await tree?.close();
    await spool.discard();
  }
}

/** Returns what the response says was stored. */
function misreport(entries: readonly Imported[], attacks: AttackBook): readonly Imported[] {
  const items = entries.map(({ path, cid }) => ({ Name: path, Hash: cid }));
  const claims = attacks.find("misreport-upload")?.change(items) ?? items;
  const unknown: Imported = { path: "", cid: "", treeBytes: 0, isFolder: false };
  return claims.map(({ Name, Hash }, index) => ({ ...(entries[index] ?? unknown), path: Name, cid: Hash }));
}

/** Aborts when the connection closes before the response: the client has disconnected, or the devnet closes. */
function abortOnClose(outgoing: ServerResponse): AbortSignal {
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  return closed.signal;
}
