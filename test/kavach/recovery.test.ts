import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  decrypt,
  encryptBytes,
  type KeyReport,
  type KeyShard,
  kavachGenerate,
  kavachRecoverKey,
  kavachRecoverShards,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid, owner } from "../support/fixtures.ts";
import { endpointsAt, type Handler } from "../support/http-server.ts";
import { createKeyNetwork, down, respondWith } from "../support/net-nodes.ts";
import { choose, corruptShard } from "./shard-tools.ts";

const NODES = [1, 2, 3, 4, 5];
const { masterKey, keyShards } = await kavachGenerate();

const optionsFor = (url: string) => ({ endpoints: endpointsAt(url), ...owner, pauseMs: 0, retryMs: 0 });

function expectThreeDistinct(nodes: readonly number[]): void {
  expect(nodes).toHaveLength(3);
  expect(new Set(nodes).size).toBe(3);
  for (const node of nodes) expect(NODES).toContain(node);
}

test("three distinct random nodes are queried, one after another", async () => {
  const network = await createKeyNetwork(keyShards);
  const times = new Map<number, number>();
  const orders = new Set<string>();
  for (let run = 0; run < 200; run++) {
    const before = network.requestedNodes().length;
    const { shards, failures } = await kavachRecoverShards(cid, optionsFor(network.url));
    const queried = network.requestedNodes().slice(before);
    expectThreeDistinct(queried);
    expect(shards).toEqual(queried.map((node) => ({ node, ...keyShards[node - 1] })));
    expect(failures).toEqual([]);
    for (const node of queried) times.set(node, (times.get(node) ?? 0) + 1);
    orders.add(queried.join());
  }
  expect(network.maxConcurrent()).toBe(1);
  // 120 of 200 are expected for each, with a standard deviation of 7.
  for (const node of NODES) expect(Math.abs((times.get(node) ?? 0) - 120)).toBeLessThan(50);
  // 58 of the 60 possible orders are expected.
  expect(orders.size).toBeGreaterThan(45);
});

test("pauses between two nodes, and not before the first", async () => {
  const network = await createKeyNetwork(keyShards);
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  const countWaits = () => timers.mock.calls.filter(([, ms]) => ms === 43).length;
  const seenBy: number[] = [];
  const handlers = NODES.map((node): [number, Handler] => [
    node,
    (...all) => {
      seenBy.push(countWaits());
      return respondWith({ payload: keyShards[node - 1] })(...all);
    },
  ]);
  network.setHandlers(Object.fromEntries(handlers));
  await kavachRecoverShards(cid, { ...optionsFor(network.url), pauseMs: 43, count: 5 });
  expect(seenBy).toEqual([0, 1, 2, 3, 4]);
});

test("a request carries the address, the file and the dynamic data", async () => {
  const network = await createKeyNetwork(keyShards);
  const dynamicData = { password: 7 };
  await kavachRecoverShards(cid, { ...optionsFor(network.url), count: 5, dynamicData });
  for (const { method, headers, body } of network.requests) {
    expect(method).toBe("POST");
    expect(headers.authorization).toBe("Bearer jwt:token");
    expect(JSON.parse(body.toString())).toEqual({ address, cid, dynamicData });
  }
  expect([...network.requestedNodes()].sort()).toEqual(NODES);
});

describe("with nodes down", () => {
  test.each([1, 2])("%d of 5: 200 of 200 recoveries succeed", async (count) => {
    const network = await createKeyNetwork(keyShards);
    const sets = choose(NODES, count);
    let recovered = 0;
    for (let run = 0; run < 200; run++) {
      const gone = sets[run % sets.length] ?? [];
      network.setHandlers(Object.fromEntries(gone.map((node) => [node, down])));
      const { shards, failures } = await kavachRecoverShards(cid, optionsFor(network.url));
      expectThreeDistinct(shards.map(({ node }) => node));
      for (const { node, code } of failures) expect([gone.includes(node), code]).toEqual([true, "NETWORK"]);
      if ((await kavachRecoverKey(shards)).masterKey === masterKey) recovered++;
    }
    expect(recovered).toBe(200);
  });

  test("3 of 5: it fails as soon as that is certain, and reports each node's failure", async () => {
    const network = await createKeyNetwork(keyShards);
    const refusing = respondWith({ message: { message: "Access Denied" } }, 403);
    network.setHandlers({ 1: down, 3: refusing, 4: respondWith("<html>") });
    const error = await failure(kavachRecoverShards(cid, optionsFor(network.url)));
    expect(error.code).toBe("NODES_FAILED");
    expect(error.message).toMatch(
      /^Only [012] of the 3 key shards needed could be fetched \(node \d: .+; node \d: .+; node \d: .+\)$/,
    );
    const { nodes, needed } = error.details as { nodes: { node: number }[]; needed: number };
    expect(needed).toBe(3);
    expect([...nodes].sort((a, b) => a.node - b.node)).toEqual([
      { node: 1, code: "NETWORK", message: "Network error" },
      { node: 3, code: "NODE_REFUSED", message: "Access Denied" },
      { node: 4, code: "INVALID_RESPONSE", message: "key node 4 returned no key shard" },
    ]);
  });

  test("all five: no more nodes are queried than it takes to be certain", async () => {
    const network = await createKeyNetwork(keyShards);
    network.setHandlers(Object.fromEntries(NODES.map((node) => [node, down])));
    expect(await failure(kavachRecoverShards(cid, optionsFor(network.url)))).toMatchObject({
      code: "NODES_FAILED",
      details: { needed: 3, got: 0 },
    });
    expect(new Set(network.requestedNodes()).size).toBe(3);
    expect(network.requestedNodes()).toHaveLength(9);
  });
});

describe("a failure of all nodes is reported as such", () => {
  test.each<[string, Handler, string, string]>([
    ["a null body", respondWith(null), "CID_NOT_FOUND", "cid not found"],
    ["a null payload", respondWith({ payload: null }), "CID_NOT_FOUND", "cid not found"],
    [
      "a refusal",
      respondWith({ message: { message: { message: "Access Denied" } } }, 403),
      "NODE_REFUSED",
      "Access Denied",
    ],
    [
      "another refusal",
      respondWith({ message: "you don't have access" }, 406),
      "NODE_REFUSED",
      "you don't have access",
    ],
  ])("%s", async (_, handler, code, message) => {
    const network = await createKeyNetwork(keyShards);
    network.setHandlers(Object.fromEntries(NODES.map((node) => [node, handler])));
    const error = await failure(kavachRecoverShards(cid, optionsFor(network.url)));
    expect(error).toMatchObject({ code, message });
    expect(error.details["nodes"]).toHaveLength(3);
    const decrypting = await failure(decrypt(cid, { ...optionsFor(network.url), verifyCid: false }));
    expect(decrypting).toMatchObject({ code, message });
    // Started beside the recovery of the key, and ended with it.
    expect(network.countDownloads()).toBe(1);
  });
});

describe.each(["sequential", "parallel"] as const)("two nodes that have no shard, with %s pacing", (pacing) => {
  test.each<[string, Handler, string]>([
    ["a null body", respondWith(null), "cid not found"],
    ["a refusal", respondWith({ message: { message: { message: "Access Denied" } } }, 403), "Access Denied"],
  ])("do not speak for the others: %s", async (_, handler, message) => {
    const network = await createKeyNetwork(keyShards);
    network.setHandlers({ 2: handler, 3: handler });
    const options = { ...optionsFor(network.url), pacing };
    expect((await kavachRecoverShards(cid, options)).shards).toHaveLength(3);
    const error = await failure(kavachRecoverShards(cid, { ...options, count: 4 }));
    expect(error).toMatchObject({ code: "NODES_FAILED", details: { needed: 4, got: 3 } });
    expect(error.message).toContain(message);
  });
});

describe("a node that responds with garbage", () => {
  const garbage: [string, Handler][] = [
    ["a page", (_, response) => response.end("<html>down</html>")],
    ["JSON that is cut", (_, response) => response.end('{"payload": {"key": "ab')],
    ["nothing", (_, response) => response.end()],
    ["a string", respondWith("shard")],
    ["a list", respondWith([])],
    ["an object of something else", respondWith({ shard: 1 })],
    ["a shard without an index", respondWith({ payload: { key: "ab".repeat(32) } })],
    ["a shard that is too short", respondWith({ payload: { key: "ab", index: "01".repeat(32) } })],
    ["a shard outside of the field", respondWith({ payload: { key: "ff".repeat(32), index: "01".repeat(32) } })],
    ["a shard with index zero", respondWith({ payload: { key: "0a".repeat(32), index: "00".repeat(32) } })],
    ["a shard of numbers", respondWith({ payload: { key: 1, index: 2 } })],
  ];
  test.each(garbage)("%s is skipped", async (_, handler) => {
    const network = await createKeyNetwork(keyShards);
    network.setHandlers({ 2: handler, 5: handler });
    const { shards, failures } = await kavachRecoverShards(cid, optionsFor(network.url));
    expect(shards.map(({ node }) => node).sort()).toEqual([1, 3, 4]);
    expect((await kavachRecoverKey(shards)).masterKey).toBe(masterKey);
    for (const { node } of failures) expect([2, 5]).toContain(node);
  });

  test("extra fields of a shard are omitted", async () => {
    const network = await createKeyNetwork(keyShards.map((shard) => ({ ...shard, note: "x" })));
    const { shards } = await kavachRecoverShards(cid, optionsFor(network.url));
    for (const shard of shards) expect(Object.keys(shard).sort()).toEqual(["index", "key", "node"]);
  });
});

test.each(["bls12-381", "gf256"] as const)(
  "a file opens with nodes 1 and 4 down and shards of scheme %s",
  async (scheme) => {
    const made = await kavachGenerate({ scheme });
    const plain = new TextEncoder().encode("the plaintext");
    const network = await createKeyNetwork(made.keyShards, await encryptBytes(plain, made.masterKey));
    network.setHandlers({ 1: down, 4: down });
    expect(await decrypt(cid, { ...optionsFor(network.url), verifyCid: false })).toEqual(plain);
    expect(network.countDownloads()).toBe(1);
  },
);

describe("a file that needs more shards than the default opens without any option", () => {
  const plain = new TextEncoder().encode("the plaintext");
  const kinds = [4, 5].flatMap((threshold) =>
    (["bls12-381", "gf256"] as const).map((scheme) => [threshold, scheme] as const),
  );

  test.each(kinds)("%d shards of scheme %s, with the same download", async (threshold, scheme) => {
    const made = await kavachGenerate({ scheme, threshold, keyCount: 5 });
    const network = await createKeyNetwork(made.keyShards, await encryptBytes(plain, made.masterKey));
    const reports: KeyReport[] = [];
    const onKeyRecovered = (report: KeyReport) => void reports.push(report);
    expect(await decrypt(cid, { verifyCid: false, ...optionsFor(network.url), onKeyRecovered })).toEqual(plain);
    expect([...network.requestedNodes()].sort()).toEqual(NODES);
    expect(network.countDownloads()).toBe(1);
    expect(reports).toMatchObject([{ faultyNodes: [], failures: [] }]);
  });

  test.each(kinds.filter(([threshold]) => threshold === 4))(
    "%d shards of scheme %s, with a node down or faulty",
    async (threshold, scheme) => {
      const made = await kavachGenerate({ scheme, threshold, keyCount: 5 });
      const network = await createKeyNetwork(made.keyShards, await encryptBytes(plain, made.masterKey));
      network.setHandlers({ 2: down });
      expect(await decrypt(cid, { ...optionsFor(network.url), verifyCid: false })).toEqual(plain);
      network.setHandlers({ 2: respondWith({ payload: corruptShard(made.keyShards[1] as KeyShard) }) });
      const reports: KeyReport[] = [];
      const onKeyRecovered = (report: KeyReport) => void reports.push(report);
      expect(await decrypt(cid, { verifyCid: false, ...optionsFor(network.url), onKeyRecovered })).toEqual(plain);
      expect(reports).toMatchObject([{ faultyNodes: [2], failures: [] }]);
    },
  );

  test("with one node down, 5 shards cannot be fetched: one clear error", async () => {
    const made = await kavachGenerate({ threshold: 5 });
    const network = await createKeyNetwork(made.keyShards, await encryptBytes(plain, made.masterKey));
    network.setHandlers({ 2: down });
    expect(await failure(decrypt(cid, { ...optionsFor(network.url), verifyCid: false }))).toMatchObject({
      code: "CANNOT_DECRYPT",
    });
  });
});

test.each([1, 6, 2.5, Number.NaN])("refuses to fetch %d shards", async (count) => {
  const error = await failure(kavachRecoverShards(cid, { ...owner, count }));
  expect(error).toMatchObject({
    code: "INVALID_OPTION",
    message: "Invalid option count: expected a whole number from 2 to 5",
  });
});

test.each(["", "Qm1", `x${cid}`, `${cid} `, `${cid}/a`, undefined])("refuses %j as a CID", async (bad) => {
  const calls = [kavachRecoverShards(bad as string, owner), decrypt(bad as string, owner)];
  for (const error of await Promise.all(calls.map(failure))) {
    expect(error).toMatchObject({ code: "INVALID_CID", message: "Invalid CID" });
  }
});
