import { formatUnits, getAddress } from "ethers";
import { describe, expect, it, test } from "vitest";
import type { EvmCondition } from "../../../src/keys/conditions/chains.ts";
import { contract, coreumSamples, samples, solanaSamples } from "../../../test/access-conditions/samples.ts";
import { failure } from "../../../test/support/failure.ts";
import { createServer, findClosedUrl, type Handler, sendJson } from "../../../test/support/http-server.ts";
import { simulateConditions } from "../src/simulate.ts";
import { type Chain, serveChain } from "./chain-server.ts";

const { token, custom, native } = samples;
const alice = "0x00000000000000000000000000000000000a11ce";
const bob = "0x0000000000000000000000000000000000000b0b";
const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq";
const huge = 2n ** 255n + 1n;

const isAlice = (address: string) => address.toLowerCase() === alice;

const chain: Chain = {
  at: contract,
  blockNumber: 50_000_000,
  balances: { [alice]: 10n ** 18n },
  contract: {
    "balanceOf(address)": (address: string) => (isAlice(address) ? huge : 0n),
    "balanceOf(address,uint256)": (address: string, id: bigint) => (isAlice(address) ? id * 2n : 0n),
    "balanceOfBatch(address[],uint256[])": (_: string[], ids: bigint[]) => ids.map((id) => id + 1n),
    "ownerOf(uint256)": (id: bigint) => (id === 7n ? alice : undefined),
    "decimals()": () => 6,
    "symbol()": () => "GOLD",
    "isMember(address,uint256)": (address: string, level: bigint) => isAlice(address) && level <= 7n,
    "isOpen(bool)": (open: boolean) => open,
    "debt(address)": () => -5n,
    "tag(address)": () => "0xABCDEF01",
    "admins()": () => [alice, bob],
    "anyOf(bool[],bytes32)": (flags: boolean[]) => flags,
  },
};

async function simulate(conditions: EvmCondition[], aggregator: string | undefined, address: string, more = {}) {
  const { url } = await serveChain(chain);
  const rpc = Object.fromEntries(conditions.map((condition) => [condition.chain, url]));
  return simulateConditions(conditions, aggregator, address, { rpc, ...more });
}

async function one(condition: EvmCondition, address = alice, more = {}) {
  const { allowed, conditions } = await simulate([condition], undefined, address, more);
  const [only] = conditions;
  if (!only) throw new Error("there is no result");
  expect(allowed).toBe(only.passed);
  return only;
}

const erc20 = { ...token, standardContractType: "ERC20" } as const;
const call = (method: string, inputs: readonly string[], output: string, parameters: readonly unknown[]) =>
  ({ ...custom, method, inputArrayType: inputs, outputType: output, parameters }) as EvmCondition;
const expecting = (condition: EvmCondition, comparator: string, value: unknown) =>
  ({ ...condition, returnValueTest: { comparator, value } }) as EvmCondition;

describe("reads", () => {
  test.each<[what: string, EvmCondition, value: unknown]>([
    ["a token balance", erc20, huge.toString()],
    ["a collection's balance", token, huge.toString()],
    ["one token's balance", { ...token, standardContractType: "ERC1155", parameters: [":userAddress", "21"] }, "42"],
    [
      "several balances",
      {
        ...token,
        standardContractType: "erc1155",
        method: "balanceOfBatch",
        parameters: [[":userAddress"], [1, "0x2"]],
      },
      ["2", "3"],
    ],
    ["an owner", { ...token, method: "ownerOf", parameters: [7] }, getAddress(alice)],
    ["a small number", { ...erc20, method: "decimals", parameters: [] }, "6"],
    ["a string", { ...erc20, method: "symbol", parameters: [] }, "GOLD"],
    ["a boolean", custom, true],
    ["the string false as a boolean", call("isOpen", ["bool"], "bool", ["false"]), false],
    ["a boolean as a boolean", call("isOpen", ["bool"], "bool", [true]), true],
    [
      "a list of truth values",
      call("anyOf", ["bool[]", "bytes32"], "bool[]", [["true", false, "false"], `0x${"00".repeat(32)}`]),
      [true, false, false],
    ],
    ["a negative number", call("debt", ["address"], "int256", [":userAddress"]), "-5"],
    ["bytes", call("tag", ["address"], "bytes4", [":userAddress"]), "0xabcdef01"],
    ["a list of addresses", call("admins", [], "address[]", []), [getAddress(alice), getAddress(bob)]],
    ["the native balance of the requester", native, "1000000000000000000"],
    ["the same with an empty list of parameters", { ...native, parameters: [] }, "1000000000000000000"],
    ["the native balance of another address", { ...native, parameters: [bob] }, "0"],
    ["the block number", { ...native, method: "getBlockNumber" }, "50000000"],
  ])("%s", async (_, condition, value) => {
    const result = await one(condition);
    expect(result.value).toEqual(value);
  });

  it("fills the requester's address into the target value, too", async () => {
    const condition = expecting({ ...token, method: "ownerOf", parameters: [7] }, "==", ":userAddress");
    expect(await one(condition)).toMatchObject({ passed: true, expected: { comparator: "==", value: alice } });
    expect(await one(condition, bob)).toMatchObject({ passed: false, expected: { comparator: "==", value: bob } });
  });

  it("reads other values from dynamicData, with or without colon, at any depth of lists", async () => {
    const condition = { ...token, standardContractType: "ERC1155", parameters: [":userAddress", ":id"] } as const;
    expect((await one(condition, alice, { dynamicData: { id: 4 } })).value).toBe("8");
    expect((await one(condition, alice, { dynamicData: { ":id": "5" } })).value).toBe("10");
    const batch = {
      ...condition,
      method: "balanceOfBatch",
      parameters: [
        [":userAddress", bob],
        [":a", ":b"],
      ],
    } as const;
    expect((await one(batch, alice, { dynamicData: { a: 1, b: 2 } })).value).toEqual(["2", "3"]);
  });

  it("does not let dynamicData replace the requester", async () => {
    const result = await one(token, bob, { dynamicData: { userAddress: alice } });
    expect(result).toMatchObject({ passed: false, value: "0" });
  });
});

describe("comparisons", () => {
  const decimals: EvmCondition = { ...erc20, method: "decimals", parameters: [] };
  const symbol: EvmCondition = { ...erc20, method: "symbol", parameters: [] };
  const owner: EvmCondition = { ...token, method: "ownerOf", parameters: [7] };
  const admins = call("admins", [], "address[]", []);
  const batch: EvmCondition = {
    ...token,
    standardContractType: "ERC1155",
    method: "balanceOfBatch",
    parameters: [[], [1]],
  };
  test.each<[what: string, EvmCondition, comparator: string, value: unknown, passed: boolean | undefined]>([
    ...(
      [
        ["==", false, true, false],
        ["!=", true, false, true],
        [">=", true, true, false],
      ] as const
    ).flatMap(([comparator, ...passed]): [string, EvmCondition, string, unknown, boolean][] =>
      passed.map((each, index) => ["6", decimals, comparator, 5 + index, each]),
    ),
    ...(
      [
        ["<=", false, true, true],
        [">", true, false, false],
        ["<", false, false, true],
      ] as const
    ).flatMap(([comparator, ...passed]): [string, EvmCondition, string, unknown, boolean][] =>
      passed.map((each, index) => ["6", decimals, comparator, `${5 + index}`, each]),
    ),
    ["6", decimals, "==", "0x06", true],
    ["6", decimals, "==", " 6 ", true],
    ["6", decimals, "==", "6.0", true],
    ["6", decimals, ">", 5.5, true],
    ["6", decimals, "<", "6.5", true],
    ["6", decimals, ">", -1, true],
    ["6", decimals, "==", "six", undefined],
    ["6", decimals, "==", "", undefined],
    ["6", decimals, ">", [5], undefined],
    ["2^255 + 1", erc20, "==", huge.toString(), true],
    ["2^255 + 1", erc20, "==", (huge - 1n).toString(), false],
    ["2^255 + 1", erc20, ">", (huge - 1n).toString(), true],
    ["2^255 + 1", erc20, ">", `0x${(huge - 1n).toString(16)}`, true],
    ["-5", call("debt", ["address"], "int256", [bob]), "<", "-4", true],
    ["true", custom, "==", "TRUE", true],
    ["true", custom, "==", "false", false],
    ["true", custom, "!=", "false", true],
    ["true", custom, "==", 1, true],
    ["true", custom, "==", 0, false],
    ["true", custom, "==", "yes", undefined],
    ["true", custom, ">=", 1, undefined],
    ["text", symbol, "==", "GOLD", true],
    ["text", symbol, "==", "gold", false],
    ["text", symbol, "!=", "SILVER", true],
    ["text", symbol, "<", "SILVER", true],
    ["text", symbol, "==", ["GOLD"], undefined],
    ["address", owner, "==", alice, true],
    ["address", owner, "==", getAddress(alice), true],
    ["address", owner, "!=", bob, true],
    ["bytes", call("tag", ["address"], "bytes4", [bob]), "==", "0xABCDEF01", true],
    ["list", admins, "==", [alice, bob], true],
    ["list", admins, "==", [bob, alice], false],
    ["list", admins, "==", [alice], false],
    ["list", admins, "!=", [alice], true],
    ["list", admins, "==", alice, undefined],
    ["list", admins, ">", [alice, bob], undefined],
    ["list of numbers", batch, "==", ["2"], true],
    ["list of numbers", batch, "!=", [2], false],
    ["list of numbers", batch, "==", ["x"], undefined],
  ])("%s: %o %s %j is %o", async (_, condition, comparator, value, passed) => {
    const result = await one(expecting(condition, comparator, value));
    expect(result.passed).toBe(passed);
    expect(result.expected).toEqual({ comparator, value });
  });
});

describe("values that cannot be read", () => {
  test.each<[what: string, EvmCondition, requester: string, passed: boolean | undefined, reason: RegExp]>([
    [
      "a reverted call",
      { ...token, method: "ownerOf", parameters: [8] },
      alice,
      false,
      /^the contract reverted: execution reverted: not minted$/,
    ],
    ["no contract there", { ...token, contractAddress: bob }, alice, false, /^there is no balanceOf at 0x0+b0b$/],
    ["an invalid address", { ...token, contractAddress: "0x12" }, alice, false, /^"0x12" is not an EVM address$/],
    [
      "too few parameters",
      { ...token, parameters: [] },
      alice,
      false,
      /^balanceOf\(address\) cannot be called with \[\]$/,
    ],
    ["too many parameters", { ...token, parameters: [alice, 1] }, alice, false, /cannot be called with/],
    [
      "a parameter of the wrong kind",
      { ...token, parameters: ["one"] },
      alice,
      false,
      /cannot be called with \["one"\]$/,
    ],
    ["a Solana address on an EVM chain", token, solana, false, /cannot be called with/],
    ["a Solana address's balance", native, solana, false, /is not an EVM address$/],
    [
      "a result of another type",
      call("decimals", [], "address[]", []),
      alice,
      false,
      /decimals at 0x\w+ does not return address\[\]$/,
    ],
    [
      "a method its standard does not have",
      { ...token, method: "votes" },
      alice,
      undefined,
      /^votes is not a read of the ERC721 standard; a Custom condition can call it$/,
    ],
    ["a missing value", { ...token, parameters: [":who"] }, alice, undefined, /^dynamicData has no value for who$/],
    ["a missing target", expecting(token, "==", ":what"), alice, undefined, /^dynamicData has no value for what$/],
  ])("%s", async (_, condition, requester, passed, reason) => {
    const result = await one(condition, requester);
    expect(result).toMatchObject({ passed, value: undefined });
    expect(result.reason).toMatch(reason);
  });

  const broken: [string, Handler | undefined, RegExp][] = [
    ["nothing listens", undefined, /^the chain could not be read: Network error$/],
    ["it never responds", () => undefined, /: Request timed out$/],
    [
      "it responds with HTML",
      (_, response) => response.writeHead(502).end("<html>"),
      /: Request failed with status code 502$/,
    ],
    ["it responds with null", (_, response) => sendJson(response, null), /: Invalid JSON response$/],
    ["it responds with a list", (_, response) => sendJson(response, []), /: Invalid JSON response$/],
    [
      "its result is not hex",
      ({ body }, response) => sendJson(response, { id: JSON.parse(String(body)).id, result: 5 }),
      /: the node returned no result$/,
    ],
    [
      "it is too busy",
      (_, response) => sendJson(response, { error: { code: -32005, message: "rate limit" } }, 429),
      /: rate limit$/,
    ],
  ];
  it.each(broken)("the result is unknown if %s", async (_, handler, reason) => {
    const url = handler ? (await createServer(handler)).url : await findClosedUrl();
    const rpc = { Polygon: `${url}/v2/SecretKey`, Optimism: `${url}/v2/SecretKey` };
    const result = await simulateConditions([token, { ...native, id: 2 }], "[1] or [2]", alice, {
      rpc,
      timeoutMs: 300,
    });
    expect(result.allowed).toBeUndefined();
    for (const { passed, reason: why } of result.conditions) {
      expect(passed).toBeUndefined();
      expect(why).toMatch(reason);
    }
    expect(JSON.stringify(result)).not.toContain("SecretKey");
  });

  it("ends when the signal fires", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    // Never responds, and the call's own time limit is later than this test's.
    const { url } = await createServer(() => controller.abort());
    const error = await failure(simulateConditions([token], null, alice, { rpc: url, signal, timeoutMs: 120_000 }));
    expect(error.code).toBe("ABORTED");
  });
});

describe("the whole rule", () => {
  const blocks = { ...native, method: "getBlockNumber" } as const;
  const conditions: EvmCondition[] = [
    { ...erc20, id: 1 },
    expecting({ ...blocks, id: 2 }, ">", 60_000_000),
    expecting({ ...blocks, id: 3, chain: "Base" }, ">", 1),
  ];

  it("explains who would be granted access and why not, one line per condition", async () => {
    const { url } = await serveChain(chain);
    const rpc = { polygon: url, OPTIMISM: url };
    const result = await simulateConditions(conditions, "[1] and ([2] or [3])", getAddress(alice), { rpc });
    expect(result.allowed).toBeUndefined();
    expect(result.conditions.map(({ id, passed }) => [id, passed])).toEqual([
      [1, true],
      [2, false],
      [3, undefined],
    ]);
    expect(result.explanation).toBe(
      [
        `It is unknown whether ${alice} would be granted access.`,
        "Access is granted if all of these hold:",
        `- [1] the balance of ${alice} in the ERC20 token ${contract} on Polygon is at least 0.000001 GOLD ` +
          `(met: ${formatUnits(huge, 6)} GOLD is at least 0.000001 GOLD)`,
        "- at least one of these holds:",
        "  - [2] the latest block number of Optimism is greater than 60000000 " +
          "(not met: 50000000 is not greater than 60000000)",
        "  - [3] the latest block number of Base is greater than 1 (not evaluated: rpc has no URL for Base)",
      ].join("\n"),
    );
  });

  it("is known if the known conditions decide it", async () => {
    const { url } = await serveChain(chain);
    const rpc = { Polygon: url, Optimism: url };
    const allowedBy = async (aggregator: string) =>
      (await simulateConditions(conditions, aggregator, alice, { rpc })).allowed;
    expect(await allowedBy("[1] or [2] or [3]")).toBe(true);
    expect(await allowedBy("[1] and [2] and [3]")).toBe(false);
    expect(await allowedBy("!([1] or [3]) and [2]")).toBe(false);
    expect(await allowedBy("[1] and [3] or [2]")).toBeUndefined();
    expect(await allowedBy("![2] and !![1] or [3]")).toBe(true);
  });

  it("starts with the verdict", async () => {
    expect((await simulate([token], undefined, alice)).explanation).toMatch(
      /^0x0+a11ce would be granted access\.\nAccess is granted if /,
    );
    expect((await simulate([token], undefined, bob)).explanation).toBe(
      `${bob} would not be granted access.\nAccess is granted if the number of ERC721 tokens of ${contract} on Polygon that ` +
        `${bob} owns is at least 1 (not met: 0 is not at least 1).`,
    );
  });

  it("counts in whole coins, and in what a token's contract says", async () => {
    const explain = async (condition: EvmCondition, symbol: string | undefined, decimals: number | undefined) => {
      const more = { "symbol()": () => symbol, "decimals()": () => decimals };
      const { url } = await serveChain({ ...chain, contract: { ...chain.contract, ...more } });
      const { explanation, conditions: results } = await simulateConditions([condition], null, bob, { rpc: url });
      expect(results[0].value).toBe("0");
      return explanation.replace(/.* is (?=at least)/s, "");
    };
    const coins = expecting(native, ">=", "1500000000000000000");
    expect(await explain(coins, "X", 1)).toBe("at least 1.5 ETH (not met: 0 ETH is not at least 1.5 ETH).");
    const tokens = expecting(erc20, ">=", 2_500_000);
    expect(await explain(tokens, "GLD", 6)).toBe("at least 2.5 GLD (not met: 0 GLD is not at least 2.5 GLD).");
    expect(await explain(tokens, "GLD", 0)).toMatch(/^at least 2500000 GLD/);
    // A contract may have any symbol, and need not say what it counts in.
    for (const symbol of ["\u001b[2J", "a b", "x".repeat(17), "", undefined]) {
      expect(await explain(tokens, symbol, 6)).toMatch(/^at least 2\.5 tokens/);
    }
    expect(await explain(tokens, "GLD", undefined)).toMatch(/^at least 2500000 base units/);
    expect(await explain(tokens, "GLD", 200)).toMatch(/^at least 2500000 base units/);
    // Compared in one unit.
    expect(await explain(expecting(erc20, ">=", "0x10"), "GLD", 6)).toMatch(/^at least 0x10 \(not met: 0 is not at /);
  });

  it("requests only what the conditions read, and what a token counts in", async () => {
    const server = await serveChain(chain);
    const rpc = { Polygon: server.url, Optimism: server.url, Base: server.url };
    await simulateConditions(conditions, "[1] and [2] and [3]", alice, { rpc });
    const methods = server.requests.map(({ body }) => (JSON.parse(body.toString()) as { method: string }).method);
    expect(methods.sort()).toEqual(["eth_blockNumber", "eth_blockNumber", "eth_call", "eth_call", "eth_call"]);
  });

  it("needs one URL per chain if the conditions name more than one, in any case", async () => {
    const { url, requests } = await serveChain(chain);
    const error = await failure(simulateConditions(conditions, "[1] or [2] or [3]", alice, { rpc: url }));
    expect(error).toMatchObject({
      code: "INVALID_OPTION",
      message: "Invalid option rpc: expected an object with one URL per chain, as the conditions name more than one",
    });
    expect(requests).toEqual([]);
    const sameChain = [token, { ...token, id: 2, chain: "polygon" }] as EvmCondition[];
    expect(await simulateConditions(sameChain, "[1] and [2]", alice, { rpc: url })).toMatchObject({ allowed: true });
  });

  it("can be serialized as JSON", async () => {
    const result = await simulate([erc20, { ...custom, id: 2 }], "[1] and [2]", alice);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("reads its arguments when it is called", async () => {
    const { url } = await createServer((_, response) => sendJson(response, { error: { code: 1, message: "no" } }));
    const own = { conditions: [structuredClone(token)], options: { rpc: { Polygon: url } } };
    const pending = simulateConditions(own.conditions, null, alice, own.options);
    own.conditions.length = 0;
    own.options.rpc.Polygon = "changed";
    const { conditions } = await pending;
    expect(conditions.map(({ expected }) => expected)).toEqual([token.returnValueTest]);
  });

  it("does not evaluate conditions of other chains", async () => {
    const rpc = await findClosedUrl();
    const solanaResult = await simulateConditions([solanaSamples.token], null, solana, { rpc, chainType: "SOLANA" });
    expect(solanaResult).toMatchObject({
      allowed: undefined,
      conditions: [{ id: 1, passed: undefined, reason: "conditions of chain type SOLANA are not evaluated here" }],
    });
    const coreum = await simulateConditions([coreumSamples.native], null, alice, { rpc, chainType: "coreum" });
    expect(coreum.allowed).toBeUndefined();
  });
});

describe("refused before anything is sent", () => {
  const anyRpc = { rpc: "http://127.0.0.1:1" };
  const wrong: [string, unknown[], string][] = [
    ["no conditions", [[], null, alice, anyRpc], "INVALID_CONDITION"],
    ["an invalid address", [[token], null, "0x1", anyRpc], "INVALID_ADDRESS"],
    [
      "an address with a wrong checksum",
      [[token], null, "0x2791BCa1f2de4661ED88A30C99A7a9449Aa84174", anyRpc],
      "INVALID_ADDRESS",
    ],
    ["no rpc", [[token], null, alice, {}], "INVALID_OPTION"],
    ["no options", [[token], null, alice], "INVALID_OPTION"],
    ["an unknown option", [[token], null, alice, { ...anyRpc, chain: "Base" }], "INVALID_OPTION"],
    ["a signal that is none", [[token], null, alice, { ...anyRpc, signal: null }], "INVALID_OPTION"],
    ["a target too large to be exact", [[expecting(erc20, "==", 2 ** 255)], null, alice, anyRpc], "INVALID_CONDITION"],
    [
      "a parameter too large to be exact",
      [[{ ...token, parameters: [2 ** 60] }], null, alice, anyRpc],
      "INVALID_CONDITION",
    ],
    ["rpc that is no URL", [[token], null, alice, { rpc: "polygon-rpc.com" }], "INVALID_OPTION"],
    ["rpc of a chain that is no URL", [[token], null, alice, { rpc: { Polygon: "ws://x" } }], "INVALID_OPTION"],
    ["a time limit of nothing", [[token], null, alice, { rpc: "http://127.0.0.1:1", timeoutMs: 0 }], "INVALID_OPTION"],
  ];
  it.each(wrong)("%s", async (_, args, code) => {
    const error = await failure(simulateConditions(...(args as Parameters<typeof simulateConditions>)));
    expect(error.code).toBe(code);
  });
});
