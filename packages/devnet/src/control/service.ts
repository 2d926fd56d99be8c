import type { Context, Hono } from "hono";
import type { Account } from "../accounts.ts";
import type { Attack } from "../attack.ts";
import type { DevnetChain } from "../chain/chain.ts";
import { checkKeys, DevnetError } from "../check-options.ts";
import type { Devnet } from "../devnet.ts";
import type { Fault, FaultBook } from "../faults.ts";
import { createJsonApp, type Env, Refusal, readFields, respondToError } from "../http/json.ts";
import type { Network } from "../network.ts";
import { createGuard } from "./guard.ts";

/** What the service shows and changes, besides what the devnet itself does. */
export interface Controlled extends Pick<Network, "attacks" | "options" | "stoppedNodes"> {
  accounts: readonly Required<Account>[];
  faults: FaultBook;
}

/** Creates the service by which programs in any language control a devnet, as `Devnet` does in this process. */
export function createControlService(devnet: Devnet, controlled: Controlled): Hono<Env> {
  const { faults, attacks, options } = controlled;
  const app = createJsonApp();
  app.onError((error, c) => {
    const isInvalid = error instanceof DevnetError;
    return isInvalid ? c.json({ code: error.code, message: error.message }, 400) : respondToError(error, c);
  });
  app.use(createGuard(options));
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.get("/", (c) => c.json(describe(devnet, controlled)));
  app.get("/requests", (c) => c.json(devnet.requests()));
  addListRoutes(app, "/faults", faults, (fields) => faults.insert(fields as unknown as Fault));
  addListRoutes(app, "/attacks", attacks, (fields) => attacks.insert(fields as unknown as Attack));
  addSettingRoutes(app, devnet);
  return app;
}

function describe(
  { endpoints, gateways, certificate, chain }: Devnet,
  { accounts, options, stoppedNodes }: Controlled,
) {
  // everybody knows the private keys of fixed accounts
  const isPublic = options.accounts === "fixed";
  return {
    endpoints,
    gateways,
    certificate,
    accounts: isPublic ? accounts : accounts.map(({ privateKey: _, ...shown }) => shown),
    stoppedNodes: [...stoppedNodes],
    chain: chain && describeChain(chain),
  };
}

/** Describes a chain without the private keys of its accounts. */
function describeChain({ rpc, chainId, network, uploadNetwork, faultyTokens }: DevnetChain) {
  return { rpc, chainId, network, uploadNetwork, faultyTokens };
}

/** Lists, adds and removes faults or attacks. */
function addListRoutes(
  app: Hono<Env>,
  path: string,
  book: Pick<FaultBook, "remove" | "clear"> & { list(): readonly object[] },
  insert: (fields: object) => string,
): void {
  // patterns are shown, although they cannot be sent
  const format = (_: string, value: unknown) => (value instanceof RegExp ? String(value) : value);
  app.get(path, (c) => c.body(JSON.stringify(book.list(), format), 200, { "Content-Type": "application/json" }));
  app.post(path, async (c) => c.json({ id: insert(await readFields(c)) }, 201));
  app.delete(path, (c) => {
    book.clear();
    return c.body(null, 204);
  });
  app.delete(`${path}/:id`, (c) => {
    if (!book.remove(c.req.param("id"))) throw new Refusal(404, "Not Found");
    return c.body(null, 204);
  });
}

/** Stops and starts key nodes, and sets prices and limits. */
function addSettingRoutes(app: Hono<Env>, devnet: Devnet): void {
  app.post("/nodes/:node/stop", (c) => {
    devnet.stopNode(Number(c.req.param("node")));
    return c.body(null, 204);
  });
  app.post("/nodes/:node/start", (c) => {
    devnet.startNode(Number(c.req.param("node")));
    return c.body(null, 204);
  });
  app.put("/tickers/:symbol", async (c) => {
    devnet.setTicker(c.req.param("symbol"), await readNumber(c, "usd"));
    return c.body(null, 204);
  });
  app.put("/data-limits/:class", async (c) => {
    const storage = c.req.param("class") as Parameters<Devnet["setDataLimit"]>[0];
    devnet.setDataLimit(storage, await readNumber(c, "bytes"));
    return c.body(null, 204);
  });
  app.put("/upload-price", async (c) => {
    devnet.setUploadPrice(await readNumber(c, "usdPerMiB"));
    return c.body(null, 204);
  });
}

/** Reads the only field of a body, which the devnet itself checks. */
async function readNumber(c: Context<Env>, name: string): Promise<number> {
  const fields = await readFields(c);
  checkKeys("", fields, [name]);
  return (fields as Record<string, unknown>)[name] as number;
}
