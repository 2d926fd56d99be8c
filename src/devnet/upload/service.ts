import type { ServerResponse } from "node:http";
import type { Context, Hono } from "hono";
import { uploaderOf } from "../auth/bearers.ts";
import { type Env, jsonApp, Refusal } from "../http/json.ts";
import { dataLimitOf, type Network } from "../network.ts";
import { receive } from "./receive.ts";
import { receiveCar } from "./receive-car.ts";
import { type Received, rootsOf, storeReceived } from "./received.ts";
import { wordAnswer } from "./upload-response.ts";

/** The upload node: takes multipart bodies with files, or with an archive of blocks, answers content ids. */
export function uploadService(network: Network): Hono<Env> {
  const app = jsonApp();
  app.post("/api/v0/add", async (c) => {
    const wrap = c.req.query("wrap-with-directory") === "true";
    const shape = { cidVersion: cidVersionOf(c), wrap, ...network.options.chunking };
    return store(network, c, (spoolDir, allowance) => receive(c.env.incoming, spoolDir, shape, allowance));
  });
  app.post("/api/v0/dag/import", (c) =>
    store(network, c, (spoolDir, allowance, gone) => receiveCar(c.env.incoming, spoolDir, allowance, gone)),
  );
  return app;
}

/** Stores for whoever asks what `take` gets out of the body, and answers what it is. */
async function store(
  network: Network,
  c: Context<Env>,
  take: (spoolDir: string, allowance: number, gone: AbortSignal) => Promise<Received>,
): Promise<Response> {
  const { auth, content, ledger, options } = network;
  const address = await uploaderOf(auth, c.req.header("authorization"));
  if (address === undefined) throw new Refusal(401, "Authentication failed", "error");
  const encrypted = c.req.header("encryption") === "true";

  const gone = untilGone(c.env.outgoing);
  const spool = await content.openSpool();
  try {
    const allowance = (await dataLimitOf(network, address)) - ledger.used(address);
    const received = await take(spool.dir, allowance, gone);
    gone.throwIfAborted();
    await storeReceived(content, spool.dir, received);
    const { entries } = received;
    const roots = rootsOf(entries);
    // each encrypted file has a key of its own and is found by its own id
    for (const entry of encrypted ? entries.filter(({ isFolder }) => !isFolder) : roots) {
      const { cid, path, bytes: size } = entry;
      const mimeType = c.req.header("mime-type") ?? entry.mimeType;
      ledger.add({ publicKey: address, fileName: path || cid, mimeType, cid, encryption: encrypted, size });
    }
    const { body, type } = wordAnswer(options.responseForm, entries, roots, encrypted);
    return c.body(body, 200, { "content-type": type });
  } finally {
    await spool.discard();
  }
}

/** Aborts once the connection has ended without a response: the client has gone, or the devnet closes. */
function untilGone(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  return gone.signal;
}

function cidVersionOf(c: Context<Env>): 0 | 1 {
  const version = c.req.query("cid-version") ?? "0";
  if (version !== "0" && version !== "1") throw new Refusal(400, "Unsupported cid-version");
  return version === "1" ? 1 : 0;
}
