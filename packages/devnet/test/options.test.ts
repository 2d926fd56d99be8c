import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { type DevnetOptions, type Fault, startDevnet } from "../src/index.ts";

const devnet = devnetForTests();
const kinds = "reset, delay, hang, respond, cut, wrong-shard, settle";

async function getRefusal(options: unknown): Promise<unknown> {
  const started = startDevnet(options as DevnetOptions);
  return started.then(
    (running) => running.close(),
    (error: unknown) => error,
  );
}

describe("options of startDevnet", () => {
  test.each([
    [{ datadir: "/tmp/x" }, "Unknown option datadir: did you mean dataDir?"],
    [{ fault: [] }, "Unknown option fault: did you mean faults?"],
    [{ verbose: true }, expect.stringMatching(/^Unknown option verbose: expected one of port, tls, .*, chain$/)],
    [{ storageLimits: { wallrus: 5 } }, "Unknown option storageLimits.wallrus: did you mean walrus?"],
    [{ storageLimits: { annual: 5 } }, "Unknown option storageLimits.annual: expected one of lifetime, walrus"],
    [{ x402: { honors: true } }, "Unknown option x402.honors: did you mean honours?"],
    [{ responseForm: "lists" }, 'Invalid option responseForm: "lists": did you mean list?'],
    [{ chain: { anvilpath: "x" } }, "Unknown option chain.anvilpath: did you mean anvilPath?"],
    [{ faults: [{ service: "apis", action: { kind: "hang" } }] }, /^Invalid option faults\[0\]\.service: "apis": did/],
  ])("%j is refused with the nearest valid name", async (options, message) => {
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect(await getRefusal(options)).toMatchObject({ code: "INVALID_OPTION", message: expected });
  });

  test.each([
    null,
    5,
    "data",
    [],
    { port: -1 },
    { port: 65_531 },
    { port: "8080" },
    { dataDir: 5 },
    { dataDir: "" },
    { faults: {} },
    { faults: [null] },
    { dataLimit: -1 },
    { dataLimit: "5" },
    { storageLimits: 5 },
    { storageLimits: null },
    { storageLimits: { lifetime: -1 } },
    { storageLimits: { walrus: "5" } },
    { jwtLifetimeSeconds: 0 },
    { jwtLifetimeSeconds: Number.NaN },
    { pageSize: 0 },
    { chunking: { chunkBytes: 0 } },
    { chunking: { links: 1 } },
    { chunking: 5 },
    { gateways: 0 },
    { gateways: [] },
    { gateways: [null] },
    { gateways: [{ formats: [] }] },
    { gateways: [{ formats: ["block"] }] },
    { gateways: [{ unsupported: 404 }] },
    { gateways: 3, port: 65_530 },
    { evmRpc: { polygon: 5 } },
    { tickers: { ETH: 0 } },
    { proofDelayMs: -1 },
    { proofMaxBytes: "1" },
    { chain: "anvil" },
    { unkind: 1 },
    { x402: null },
    { x402: { maxFileBytes: 0 } },
    { x402: { maxFileBytes: 0.5 } },
    { x402: { honours: 1 } },
  ])("%j is refused with INVALID_OPTION, and nothing is started", async (options) => {
    const listOwnFolders = async () =>
      (await readdir(tmpdir())).filter((name) => name.includes(`devnet-${process.pid}-`));
    const before = await listOwnFolders();
    expect(await getRefusal(options)).toMatchObject({ code: "INVALID_OPTION" });
    expect(await listOwnFolders()).toEqual(before);
  });
});

describe("faults", () => {
  const hang = { kind: "hang" };

  test.each([
    [{ service: "foo", action: { kind: "x" } }, /^Invalid option fault\.service: "foo": expected one of api, upload,/],
    [{ service: "keynodes", action: hang }, 'Invalid option fault.service: "keynodes": did you mean keyNodes?'],
    [{ service: "api", action: { kind: "x" } }, `Invalid option fault.action.kind: "x": expected one of ${kinds}`],
    [
      { service: "api", action: { kind: "Respond" } },
      'Invalid option fault.action.kind: "Respond": did you mean respond?',
    ],
    [{ service: "api", acton: hang, action: hang }, "Unknown option fault.acton: did you mean action?"],
    [{ service: "api", time: 1, action: hang }, "Unknown option fault.time: did you mean times?"],
    [
      { service: "api", action: { kind: "respond", stauts: 500 } },
      "Unknown option fault.action.stauts: did you mean status?",
    ],
    [
      { service: "api", action: { kind: "cut", ms: 5 } },
      /^Unknown option fault\.action\.ms: expected one of kind, atByte$/,
    ],
  ])("%j is refused, naming what there is", (fault, message) => {
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message;
    const add = () => devnet().faults.add(fault as Fault);
    expect(add).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message: expected }));
  });

  test.each([
    undefined,
    null,
    "hang",
    { service: "api" },
    { service: "api", action: "hang" },
    { service: "api", node: 1, action: hang },
    { service: "keyNodes", node: 6, action: hang },
    { service: "api", method: 5, action: hang },
    { service: "api", path: ["/api"], action: hang },
    { service: "api", after: -1, action: hang },
    { service: "api", times: 0.5, action: hang },
    { service: "api", action: { kind: "delay" } },
    { service: "api", action: { kind: "delay", ms: "5" } },
    { service: "api", action: { kind: "cut" } },
    { service: "api", action: { kind: "reset", afterBytes: -1 } },
    { service: "api", action: { kind: "respond", status: 99 } },
    { service: "api", action: { kind: "respond", text: 5 } },
    { service: "api", action: { kind: "respond", headers: { a: 5 } } },
    { service: "api", action: { kind: "respond", served: 1 } },
    { service: "api", action: { kind: "wrong-shard" } },
    { service: "x402", action: { kind: "wrong-shard" } },
    { service: "upload", action: { kind: "settle", how: "late" } },
    { service: "x402", action: { kind: "settle" } },
    { service: "x402", action: { kind: "settle", how: "never" } },
    { service: "x402", action: { kind: "settle", how: "late", delayMs: -1 } },
  ])("%j would have no effect and is refused", (fault) => {
    const add = () => devnet().faults.add(fault as Fault);
    expect(add).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  });

  test("a refused fault has no effect", async () => {
    const add = () => devnet().faults.add({ service: "api", action: { kind: "nope" } } as unknown as Fault);
    expect(add).toThrow();
    expect((await fetch(`${devnet().endpoints.api}/x`)).status).toBe(404);
  });
});
