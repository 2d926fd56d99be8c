import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { bulkWorker, enqueueBulk, openBulkLedger } from "../../src/bulk/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { databasesForTests } from "./engines.ts";
import { planDataset } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

test.each(["redis", "postgres"])("a queue of %s that cannot be reached is an error, not a wait", async (protocol) => {
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  // Nobody listens there any more.
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  const connection = `${protocol}://user:s3cret@127.0.0.1:${port}/0`;
  const calls = [() => enqueueBulk(plan, { connection, ledger }), () => bulkWorker({ connection, ledger, upload })];
  for (const call of calls) {
    const error = await failure(call());
    expect(error).toMatchObject({ code: "NETWORK", details: { url: `${protocol}://127.0.0.1:${port}/0` } });
    expect(error.message).toContain("ECONNREFUSED");
    expect(JSON.stringify(error)).not.toContain("s3cret");
  }
  await ledger.close();
});

test("a queue that does not respond can be left", async () => {
  const { plan } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const server = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const abort = new AbortController();
  const call = enqueueBulk(plan, { connection: `redis://127.0.0.1:${port}`, ledger, signal: abort.signal });
  server.once("connection", () => abort.abort());
  expect((await failure(call)).code).toBe("ABORTED");
  await ledger.close();
  server.close();
});
