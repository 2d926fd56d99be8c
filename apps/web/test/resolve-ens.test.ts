import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Devnet, startDevnet } from "../../../packages/devnet/src/index.ts";
import { isEnsName } from "../src/ens/ens-name.ts";
import { resolveEns } from "../src/ens/resolve-ens.ts";
import { OFFCHAIN, type RunningEns, startEns } from "./ens/start-ens.ts";

let devnet: Devnet;
let ens: RunningEns;
const { signal } = new AbortController();
const BOB = "0x742d35cc6634c0532925a3b844bc454e4438f44e";
const resolve = (name: string, network = ens.network) => resolveEns(name, network, signal);
const problem = (expected: string) => expect.objectContaining({ problem: expected });

beforeAll(async () => {
  devnet = await startDevnet({ chain: true });
  ens = await startEns(devnet);
  await ens.setName("bob.eth", BOB);
  await ens.setName("home.bob.eth", `0x${"1".repeat(40)}`);
  await ens.setName("empty.eth", `0x${"0".repeat(40)}`);
  await ens.setName("élodie👩‍👩‍👧.eth", BOB);
});
afterAll(async () => {
  ens?.close();
  await devnet?.close();
});

test("a name leads to its address, in whichever case it is written, and after a change to the new one", async () => {
  for (const name of ["bob.eth", "BOB.eth", "Bob.ETH"])
    expect(await resolve(name)).toEqual({ name: "bob.eth", address: BOB });
  expect((await resolve("home.bob.eth")).address).toBe(`0x${"1".repeat(40)}`);
  expect(await resolve("E\u0301lodie👩‍👩‍👧.eth")).toEqual({ name: "élodie👩‍👩‍👧.eth", address: BOB });
  await ens.setName("moved.eth", BOB);
  await ens.setName("moved.eth", `0x${"2".repeat(40)}`);
  expect((await resolve("moved.eth")).address).toBe(`0x${"2".repeat(40)}`);
});

test("a name without an address, and one whose address is on a server, have none", async () => {
  for (const name of ["nobody.eth", "empty.eth", "a.b.c.nobody.eth"])
    await expect(resolve(name), name).rejects.toEqual(problem("unset"));
  await expect(resolve(OFFCHAIN)).rejects.toEqual(problem("offchain"));
});

test("what is no name (ENSIP-15) is refused before anything is asked", async () => {
  const nowhere = { ...ens.network, rpc: "http://127.0.0.1:9" };
  // The last two: letters of two scripts that look the same, and an invisible one.
  for (const name of [
    "bob..eth",
    ".eth",
    "b b.eth",
    "b_ob.eth",
    "bо\u0062.eth",
    "bob\u202e.eth",
    "",
    `${"b".repeat(300)}.eth`,
  ])
    await expect(resolve(name, nowhere), name).rejects.toEqual(problem("invalid"));
  await expect(resolveEns("bob.eth", undefined, signal)).rejects.toEqual(problem("unconfigured"));
});

test("a node of another chain, one without ENS, and one that does not respond as it should, yield no address", async () => {
  await expect(resolve("bob.eth", { ...ens.network, chainId: 1 })).rejects.toEqual(problem("wrongChain"));
  await expect(resolve("bob.eth", { ...ens.network, resolver: BOB })).rejects.toEqual(problem("unavailable"));
  await expect(resolve("bob.eth", { ...ens.network, rpc: "http://127.0.0.1:9" })).rejects.toEqual(
    problem("unavailable"),
  );
  const responses: unknown[] = [null, "0x", `0x${"f".repeat(64)}`, { address: BOB }, BOB];
  for (const result of responses) {
    const node = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x7a69" : result }));
    });
    await new Promise<void>((done) => node.listen(0, "127.0.0.1", done));
    const rpc = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    await expect(resolve("bob.eth", { ...ens.network, rpc }), String(result)).rejects.toEqual(problem("unavailable"));
    await new Promise((done) => node.close(done));
  }
});

test("a lookup that is no longer wanted ends", async () => {
  await expect(resolveEns("bob.eth", ens.network, AbortSignal.abort())).rejects.toMatchObject({ code: "ABORTED" });
});

test("names are told from addresses and parts of names of contacts", () => {
  for (const name of ["bob.eth", "Bob.ETH", "a.b.eth", "été.eth"]) expect(isEnsName(name), name).toBe(true);
  const others = [
    "bob",
    ".eth",
    "bob eth",
    "bob.et",
    BOB,
    "https://bob.eth",
    "bob@x.eth",
    "a b.eth",
    `${"b".repeat(252)}.eth`,
  ];
  for (const text of others) expect(isEnsName(text), text).toBe(false);
});
