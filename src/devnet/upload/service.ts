import type { Context, Hono } from "hono";
import { uploaderOf } from "../auth/bearers.ts";
import type { Imported } from "../content/importer.ts";
import { type Env, jsonApp, Refusal } from "../http/json.ts";
import { dataLimitOf, type Network } from "../network.ts";
import { wordAnswer } from "./answer.ts";
import { keep, rootsOf } from "./keep.ts";
import { type Received, receive } from "./receive.ts";
import { receiveCar } from "./receive-car.ts";

/** The upload node: takes multipart bodies with files, or with an archive of blocks, answers content ids. */
export function uploadService(network: Network): Hono<Env> {
  const app = jsonApp();
  app.post("/api/v0/add", async (c) => {
    const shape = { cidVersion: cidVersionOf(c), wrap: c.req.query("wrap-with-directory") === "true" };
    return store(network, c, (spoolDir, allowance) => receive(c.env.incoming, spoolDir, shape, allowance));
  });
  app.post("/api/v0/dag/import", (c) =>
    store(network, c, (spoolDir, allowance) => receiveCar(c.env.incoming, spoolDir, allowance)),
  );
  return app;
}

/** Stores for whoever asks what `take` gets out of the body, and answers what it is. */
async function store(
  network: Network,
  c: Context<Env>,
  take: (spoolDir: string, allowance: number) => Promise<Received>,
): Promise<Response> {
  const { auth, content, ledger, options } = network;
  const address = await uploaderOf(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Authentication failed", "error");
  const encrypted = c.req.header("encryption") === "true";

  const spool = await content.openSpool();
  try {
    const allowance = (await dataLimitOf(network, address)) - ledger.used(address);
    const received = await take(spool.dir, allowance);
    await keep(content, received);
    const entries = [...received.files, ...received.folders];
    const roots = rootsOf(entries);
    // each encrypted file has a key of its own and is found by its own id
    for (const entry of encrypted ? received.files : roots) {
      const { cid, path } = entry;
      const mimeType = c.req.header("mime-type") ?? mimeTypeOf(entry, received);
      const size = bytesBelow(entry, received);
      ledger.add({ publicKey: address, fileName: path || cid, mimeType, cid, encryption: encrypted, size });
    }
    const { body, type } = wordAnswer(options.answerForm, entries, roots, encrypted);
    return c.body(body, 200, { "content-type": type });
  } finally {
    await spool.discard();
  }
}

function cidVersionOf(c: Context<Env>): 0 | 1 {
  const version = c.req.query("cid-version") ?? "0";
  if (version !== "0" && version !== "1") throw new Refusal(400, "Unsupported cid-version");
  return version === "1" ? 1 : 0;
}

function mimeTypeOf(entry: Imported, { files }: Received): string | null {
  return files.find((file) => file === entry)?.mimeType ?? null;
}

function bytesBelow(entry: Imported, { files }: Received): number {
  const prefix = entry.path === "" ? "" : `${entry.path}/`;
  const below = entry.isFolder ? files.filter(({ path }) => path.startsWith(prefix)) : files.filter((f) => f === entry);
  return below.reduce((sum, { bytes }) => sum + bytes, 0);
}
