import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AbiCoder, id } from "ethers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { account, getJwt, send } from "../../../test/support/devnet-wire.ts";
import { postRpc } from "../src/http/json.ts";
import { type Devnet, startDevnet } from "../src/index.ts";

/** The next response of the chain: JSON-RPC fields, a string that is not JSON, or the start of one that breaks off. */
let reply: Record<string, unknown> | string | { start: string } = "";
/** The last request to the chain. */
let lastRequest: { method: string; params: [{ to: string; data: string }, string] } | undefined;

const chain = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  lastRequest = JSON.parse(body);
  if (typeof reply !== "string" && "start" in reply) {
    response.writeHead(200, { "content-length": 1_000 }).write(reply.start);
    // Once the start has arrived.
    return void setTimeout(() => request.socket.resetAndDestroy(), 50);
  }
  response.end(typeof reply === "string" ? reply : JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }));
});
let devnet: Devnet;
let owner = "";
let caller = "";
let tokens: [string, string];
beforeAll(async () => {
  await new Promise<void>((resolve) => chain.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(chain.address() as AddressInfo).port}`;
  devnet = await startDevnet({ evmRpc: { Base: url } });
  [owner, caller] = [account(devnet, 0).address, account(devnet, 1).address];
  tokens = [(await getJwt(devnet, account(devnet, 0))).token, (await getJwt(devnet, account(devnet, 1))).token];
});
afterAll(async () => {
  await devnet.close();
  await new Promise((resolve) => chain.close(resolve));
});

const contract = "0x1A7e9B3C5D7F9b1c3e5a7c9e1b3D5f7a9c1E3b5D".toLowerCase();

/** Returns whether the caller gets access; neither an unknown condition nor its negation grants it. */
async function grantsAccess(condition: Record<string, unknown>, aggregator = ""): Promise<boolean> {
  const cid = randomUUID();
  const conditions = [{ id: 1, chain: "BASE", contractAddress: contract, ...condition }];
  const lock = { address: owner, cid, conditions, aggregator, decryptionType: "ACCESS_CONDITIONS" };
  const payload = { key: "0a", index: "0b" };
  const base = devnet.endpoints.keyNodes;
  const set = await send("POST", `${base}/api/fileAccessConditions/1`, { ...lock, payload }, tokens[0]);
  expect(set).toMatchObject({ status: 200 });
  return (await send("POST", `${base}/api/retrieveSharedKey/1`, { address: caller, cid }, tokens[1])).status === 200;
}

const respondWith = (type: string, value: unknown) => ({ result: AbiCoder.defaultAbiCoder().encode([type], [value]) });
const expects = (comparator: string, value: unknown) => ({ returnValueTest: { comparator, value } });
const custom = (outputType: string) => ({
  standardContractType: "custom",
  method: "read",
  parameters: [":userAddress", ["1", "2"], "false", 7],
  inputArrayType: ["address", "uint256[]", "bool", "int8"],
  outputType,
});
const big = 2n ** 256n - 1n;

test("a call has the method and the parameters in the contract's types", async () => {
  reply = respondWith("bool", true);
  expect(await grantsAccess({ ...custom("bool"), ...expects("==", "true") })).toBe(true);
  const types = ["address", "uint256[]", "bool", "int8"];
  const encoded = AbiCoder.defaultAbiCoder().encode(types, [caller, [1, 2], false, 7]);
  const data = id("read(address,uint256[],bool,int8)").slice(0, 10) + encoded.slice(2);
  expect(lastRequest).toMatchObject({ method: "eth_call", params: [{ to: contract, data }, "latest"] });
});

test.each<[string, unknown, string, unknown, boolean]>([
  ["bool", true, "==", "false", false],
  ["bool", false, "!=", "true", true],
  ["bool", true, "==", 1, true],
  ["bool", true, ">", 0, false],
  ["uint256", big, "==", String(big), true],
  ["uint256", big, ">=", `0x${"f".repeat(64)}`, true],
  ["uint256", big - 1n, ">=", String(big), false],
  ["uint256", 2n, ">", 1.5, true],
  ["uint256", 1n, "==", "one", false],
  ["int256", -5n, "<", "-4", true],
  [
    "address",
    "0x1A7e9B3C5D7F9b1c3e5a7c9e1b3D5f7a9c1E3b5D".toLowerCase(),
    "==",
    contract.toUpperCase().replace("0X", "0x"),
    true,
  ],
  ["bytes4", "0xABCDEF01", "==", "0xabcdef01", true],
  ["uint256[]", [1n, 2n], "==", ["1", 2], true],
  ["uint256[]", [1n, 2n], "!=", ["1"], true],
  ["uint256[]", [1n, 2n], "==", ["1", "3"], false],
  ["bool[]", [true, false], "==", [true, "false"], true],
])("%s %s %s %j: %s", async (type, value, comparator, right, expected) => {
  reply = respondWith(type, value);
  expect(await grantsAccess({ ...custom(type), ...expects(comparator, right) })).toBe(expected);
});

const nft = { standardContractType: "ERC721", method: "ownerOf", parameters: ["7"], ...expects("==", ":userAddress") };
const batch = {
  standardContractType: "erc1155",
  method: "balanceOfBatch",
  parameters: [
    [":userAddress", ":userAddress"],
    ["1", "2"],
  ],
};

test("the caller may be the value, and may be in lists", async () => {
  reply = respondWith("address", caller);
  expect(await grantsAccess(nft)).toBe(true);
  reply = respondWith("address", owner);
  expect(await grantsAccess(nft)).toBe(false);
  reply = respondWith("uint256[]", [0n, 3n]);
  expect(await grantsAccess({ ...batch, ...expects("==", ["0", "3"]) })).toBe(true);
});

test.each<[string, Record<string, unknown> | string]>([
  ["a revert by its code", { error: { code: 3, message: "no" } }],
  ["a revert by its message", { error: { code: -32_000, message: "execution reverted: no such token" } }],
  ["no data, as without a contract", { result: "0x" }],
  ["data of another type", { result: "0x01" }],
])("%s makes a condition false, and its negation true", async (_, response) => {
  reply = response;
  expect([await grantsAccess(nft), await grantsAccess(nft, "!([1])")]).toEqual([false, true]);
});

test.each<[string, Record<string, unknown> | string]>([
  ["another failure", { error: { code: -32_601, message: "no such method" } }],
  ["no result", {}],
  ["an HTML page", "<html></html>"],
])("%s makes a condition unknown, which grants no access either way", async (_, response) => {
  reply = response;
  expect([await grantsAccess(nft), await grantsAccess(nft, "!([1])")]).toEqual([false, false]);
});

test("a response that breaks off is a failure of its call alone", async () => {
  reply = { start: "{" };
  const url = `http://127.0.0.1:${(chain.address() as AddressInfo).port}`;
  await expect(postRpc(url, {})).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("a response that breaks off grants nothing", async () => {
  for (const start of ["{", JSON.stringify({ jsonrpc: "2.0", id: 1, ...respondWith("bool", true) })]) {
    reply = { start };
    expect(await grantsAccess({ ...custom("bool"), ...expects("==", "true") })).toBe(false);
  }
  reply = respondWith("bool", true);
  expect(await grantsAccess({ ...custom("bool"), ...expects("==", "true") })).toBe(true);
});
