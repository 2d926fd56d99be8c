import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AbiCoder, id } from "ethers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Devnet, startDevnet } from "../../src/devnet/index.ts";
import { account, jwtOf, send } from "../support/devnet-wire.ts";

/** What the chain answers next: JSON-RPC fields, or a text that is none. */
let reply: Record<string, unknown> | string = "";
/** What it was asked last. */
let asked: { method: string; params: [{ to: string; data: string }, string] } | undefined;

const chain = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  asked = JSON.parse(body);
  response.end(typeof reply === "string" ? reply : JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }));
});
let devnet: Devnet;
let owner = "";
let asker = "";
let tokens: [string, string];
beforeAll(async () => {
  await new Promise<void>((resolve) => chain.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(chain.address() as AddressInfo).port}`;
  devnet = await startDevnet({ evmRpc: { Base: url } });
  [owner, asker] = [account(devnet, 0).address, account(devnet, 1).address];
  tokens = [(await jwtOf(devnet, account(devnet, 0))).token, (await jwtOf(devnet, account(devnet, 1))).token];
});
afterAll(async () => {
  await devnet.close();
  await new Promise((resolve) => chain.close(resolve));
});

const contract = "0x1A7e9B3C5D7F9b1c3e5a7c9e1b3D5f7a9c1E3b5D".toLowerCase();

/** Whether the asker gets in; a condition and its contrary both shut out if the chain leaves it open. */
async function opens(condition: Record<string, unknown>, aggregator = ""): Promise<boolean> {
  const cid = randomUUID();
  const conditions = [{ id: 1, chain: "BASE", contractAddress: contract, ...condition }];
  const lock = { address: owner, cid, conditions, aggregator, decryptionType: "ACCESS_CONDITIONS" };
  const payload = { key: "0a", index: "0b" };
  const base = devnet.endpoints.keyNodes;
  const set = await send("POST", `${base}/api/fileAccessConditions/1`, { ...lock, payload }, tokens[0]);
  expect(set).toMatchObject({ status: 200 });
  return (await send("POST", `${base}/api/retrieveSharedKey/1`, { address: asker, cid }, tokens[1])).status === 200;
}

const answers = (type: string, value: unknown) => ({ result: AbiCoder.defaultAbiCoder().encode([type], [value]) });
const wants = (comparator: string, value: unknown) => ({ returnValueTest: { comparator, value } });
const custom = (outputType: string) => ({
  standardContractType: "custom",
  method: "read",
  parameters: [":userAddress", ["1", "2"], "false", 7],
  inputArrayType: ["address", "uint256[]", "bool", "int8"],
  outputType,
});
const big = 2n ** 256n - 1n;

test("a call carries the method and the parameters by the contract's types", async () => {
  reply = answers("bool", true);
  expect(await opens({ ...custom("bool"), ...wants("==", "true") })).toBe(true);
  const types = ["address", "uint256[]", "bool", "int8"];
  const encoded = AbiCoder.defaultAbiCoder().encode(types, [asker, [1, 2], false, 7]);
  const data = id("read(address,uint256[],bool,int8)").slice(0, 10) + encoded.slice(2);
  expect(asked).toMatchObject({ method: "eth_call", params: [{ to: contract, data }, "latest"] });
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
])("%s %s %s %j: %s", async (type, value, comparator, wanted, expected) => {
  reply = answers(type, value);
  expect(await opens({ ...custom(type), ...wants(comparator, wanted) })).toBe(expected);
});

const nft = { standardContractType: "ERC721", method: "ownerOf", parameters: ["7"], ...wants("==", ":userAddress") };
const batch = {
  standardContractType: "erc1155",
  method: "balanceOfBatch",
  parameters: [
    [":userAddress", ":userAddress"],
    ["1", "2"],
  ],
};

test("whoever asks may be the value, and may be within lists", async () => {
  reply = answers("address", asker);
  expect(await opens(nft)).toBe(true);
  reply = answers("address", owner);
  expect(await opens(nft)).toBe(false);
  reply = answers("uint256[]", [0n, 3n]);
  expect(await opens({ ...batch, ...wants("==", ["0", "3"]) })).toBe(true);
});

test.each<[string, Record<string, unknown> | string]>([
  ["a refusal by its code", { error: { code: 3, message: "no" } }],
  ["a refusal by its words", { error: { code: -32_000, message: "execution reverted: no such token" } }],
  ["nothing, as where there is no contract", { result: "0x" }],
  ["something else than the type says", { result: "0x01" }],
])("%s makes a condition false, and its contrary true", async (_, answer) => {
  reply = answer;
  expect([await opens(nft), await opens(nft, "!([1])")]).toEqual([false, true]);
});

test.each<[string, Record<string, unknown> | string]>([
  ["another failure", { error: { code: -32_601, message: "no such method" } }],
  ["no result", {}],
  ["a page", "<html></html>"],
])("%s leaves a condition open, which lets nobody in either way", async (_, answer) => {
  reply = answer;
  expect([await opens(nft), await opens(nft, "!([1])")]).toEqual([false, false]);
});
