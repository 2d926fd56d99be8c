import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { account, devnetForTests, getJwt, type Reply, send } from "../../../test/support/devnet-wire.ts";

const devnet = devnetForTests({ chain: true, evmRpc: { Dead: "http://127.0.0.1:1" } });
const url = (path: string) => `${devnet().endpoints.keyNodes}${path}`;
const shard = { key: "0a", index: "0b" };
const ownerAddress = () => account(devnet(), 0).address;
let ownerJwt = "";
let callerJwt = "";
beforeAll(async () => {
  ownerJwt = (await getJwt(devnet(), account(devnet(), 0))).token;
  callerJwt = (await getJwt(devnet(), account(devnet(), 1))).token;
});
afterEach(() => devnet().startNode(1));

type Condition = Record<string, unknown>;

const getChain = () => {
  const { chain } = devnet();
  if (!chain) throw new Error("no chain");
  return chain;
};
const token = (change: Condition = {}): Condition => ({
  id: 1,
  chain: "Polygon",
  standardContractType: "ERC20",
  contractAddress: getChain().network.tokens.usdc?.address,
  method: "balanceOf",
  parameters: [":userAddress"],
  returnValueTest: { comparator: ">=", value: "1" },
  ...change,
});
const native = (change: Condition = {}): Condition => ({
  id: 1,
  chain: "Devnet",
  standardContractType: "",
  method: "getBalance",
  returnValueTest: { comparator: ">=", value: "1000000000000000000000" },
  ...change,
});
const custom = (change: Condition = {}): Condition =>
  token({
    standardContractType: "Custom",
    method: "balanceOf",
    inputArrayType: ["address"],
    outputType: "uint256",
    ...change,
  });
/** An otherwise true condition on an unreachable chain. */
const unknown = (id: number): Condition => native({ id, chain: "Dead" });
const no = (id: number): Condition => native({ id, returnValueTest: { comparator: "<", value: 0 } });
const yes = (id: number): Condition => native({ id });

async function lock(method: "POST" | "PUT", cid: string, fields: Record<string, unknown>, node = 1): Promise<Reply> {
  const body = { address: ownerAddress(), cid, decryptionType: "ACCESS_CONDITIONS", chainType: "evm", ...fields };
  return send(method, url(`/api/fileAccessConditions/${node}`), { payload: shard, ...body }, ownerJwt);
}

async function grantsAccess(
  conditions: readonly Condition[],
  aggregator?: string,
  fields: Record<string, unknown> = {},
  dynamicData: unknown = undefined,
): Promise<boolean> {
  const cid = randomUUID();
  expect(await lock("POST", cid, { conditions, aggregator, ...fields })).toMatchObject({ status: 200 });
  const caller = { address: account(devnet(), 1).address, cid, dynamicData };
  const { status, body } = await send("POST", url("/api/retrieveSharedKey/1"), caller, callerJwt);
  if (status === 200) expect(body).toEqual({ payload: shard });
  else expect([status, body]).toEqual([403, { message: { message: { message: "Access Denied" } } }]);
  return status === 200;
}

describe("the value read from a chain decides", () => {
  const expects = (comparator: string, value: unknown) => ({ returnValueTest: { comparator, value } });
  const dead = "0x000000000000000000000000000000000000dEaD";

  test.each<[string, boolean, () => Condition]>([
    ["a sufficient token balance", true, () => token()],
    ["an insufficient one", false, () => token(expects(">", "1000000000000"))],
    ["one that is exactly as expected", true, () => token(expects("==", "1000000000000"))],
    ["the balance of another address", false, () => token({ parameters: [dead] })],
    ["a native balance beyond the precision of a double", true, () => native()],
    ["one that is one unit short", false, () => native(expects(">=", "1000000000000000000001"))],
    ["the block number", true, () => native({ method: "getBlockNumber", ...expects(">", 0) })],
    ["a string", true, () => token({ method: "symbol", parameters: [], ...expects("==", "USDC") })],
    ["a small number of a standard", true, () => token({ method: "decimals", parameters: [], ...expects("==", 6) })],
    ["a custom call", true, () => custom()],
    ["a contract that reverts the call", false, () => custom({ method: "unknownMethod" })],
    ["no contract at all", false, () => custom({ contractAddress: dead })],
    ["an invalid address", false, () => custom({ contractAddress: "elsewhere" })],
    ["parameters that do not fit", false, () => custom({ parameters: ["many"] })],
    ["a method outside the standard", false, () => token({ method: "mint" })],
    ["values that are not comparable", false, () => token(expects("==", ["1"]))],
  ])("%s: %s", async (_, expected, condition) => {
    expect(await grantsAccess([condition()])).toBe(expected);
  });

  test("the expected value may be the caller's address", async () => {
    const owner = custom({ method: "owner", contractAddress: getChain().network.contract, parameters: [] });
    const isAsker = { ...owner, inputArrayType: [], outputType: "address", ...expects("!=", ":userAddress") };
    expect(await grantsAccess([isAsker])).toBe(true);
  });
});

describe("dynamic data", () => {
  const condition = () => token({ parameters: [":holder"] });

  test.each([":holder", "holder"])("%s is replaced", async (name) => {
    expect(await grantsAccess([condition()], undefined, {}, { [name]: ownerAddress() })).toBe(true);
  });

  test("without them neither a condition nor its negation grants access", async () => {
    expect(await grantsAccess([condition()])).toBe(false);
    expect(await grantsAccess([condition()], "!([1])")).toBe(false);
  });

  test("no caller can act as another address", async () => {
    const poor = { returnValueTest: { comparator: "==", value: 0 } };
    const dead = "0x000000000000000000000000000000000000dEaD";
    expect(await grantsAccess([token(poor)], undefined, {}, { ":userAddress": dead, userAddress: dead })).toBe(false);
  });

  test("anything but an object is a 400", async () => {
    const caller = { address: account(devnet(), 1).address, cid: "any", dynamicData: "text" };
    const reply = await send("POST", url("/api/retrieveSharedKey/1"), caller, callerJwt);
    expect(reply).toEqual({ status: 400, body: { message: "Invalid dynamicData" } });
  });
});

describe("the aggregator", () => {
  test.each<[string, boolean, () => Condition[]]>([
    ["([1] and [2])", true, () => [yes(1), yes(2)]],
    ["([1] and [2])", false, () => [yes(1), no(2)]],
    ["([1] or [2])", true, () => [no(1), yes(2)]],
    ["!([1] and [2])", true, () => [yes(1), no(2)]],
    ["[1] or [2] and [3]", true, () => [yes(1), no(2), no(3)]],
    ["([1] OR [2]) AND [3]", false, () => [yes(1), no(2), no(3)]],
    ["![1] and !![2]", true, () => [no(1), yes(2)]],
    ["[1] or [2]", true, () => [unknown(1), yes(2)]],
    ["[1] and [2]", false, () => [unknown(1), yes(2)]],
    ["[1] or ![1]", false, () => [unknown(1)]],
    ["![1] and [2]", false, () => [unknown(1), yes(2)]],
  ])("%s: %s", async (aggregator, expected, conditions) => {
    expect(await grantsAccess(conditions(), aggregator)).toBe(expected);
  });

  test.each([
    ["([1] and [2]", "aggregator has unbalanced brackets"],
    ["[1] and [2])", "aggregator has unbalanced brackets"],
    ["[1] and [3]", "aggregator names [3], which is no condition"],
    ["[1] [2]", 'aggregator is malformed at "[2]"'],
    ["[1] xor [2]", 'aggregator is malformed at "xor"'],
    ["[1] and", "aggregator is incomplete"],
    ["", "aggregator is required with more than one condition"],
    [7, "aggregator must be a string"],
    [`${"!".repeat(100)}[1]`, "aggregator is nested too deeply"],
  ])("%j is a 400", async (aggregator, message) => {
    const reply = await lock("POST", randomUUID(), { conditions: [yes(1), yes(2)], aggregator });
    expect(reply).toEqual({ status: 400, body: { message } });
  });
});

describe("who decides", () => {
  test("conditions count regardless of the decryption type", async () => {
    for (const decryptionType of ["address", "", "access_conditions"]) {
      expect(await grantsAccess([yes(1)], undefined, { decryptionType })).toBe(true);
      expect(await grantsAccess([no(1)], undefined, { decryptionType })).toBe(false);
    }
  });

  test("the owner and recipients need not meet them", async () => {
    const cid = randomUUID();
    await lock("POST", cid, { conditions: [no(1)] });
    const caller = { address: account(devnet(), 1).address, cid };
    const share = { address: ownerAddress(), cid, shareTo: [caller.address] };
    expect((await send("PUT", url("/api/setSharedKey/1"), share, ownerJwt)).status).toBe(200);
    expect((await send("POST", url("/api/retrieveSharedKey/1"), caller, callerJwt)).status).toBe(200);
    const owner = { ...caller, address: ownerAddress() };
    expect((await send("POST", url("/api/retrieveSharedKey/1"), owner, ownerJwt)).status).toBe(200);
  });

  test("conditions on unsupported chain types grant no access", async () => {
    const solana = native({ chain: "DEVNET", pdaInterface: { offset: 0, selector: "" } });
    expect(await grantsAccess([solana], undefined, { chainType: "solana" })).toBe(false);
  });

  test("only the owner of an existing file sets them, on each node separately", async () => {
    const cid = randomUUID();
    const denied = { status: 403, body: { message: { message: { message: "Access Denied" } } } };
    expect(await lock("PUT", cid, { conditions: [yes(1)] })).toEqual(denied);
    await lock("POST", cid, { conditions: [no(1)] });
    const caller = { address: account(devnet(), 1).address, cid, payload: shard, conditions: [yes(1)] };
    for (const method of ["POST", "PUT"]) {
      expect(await send(method, url("/api/fileAccessConditions/1"), caller, callerJwt)).toEqual(denied);
    }
    expect(await lock("PUT", cid, { conditions: [yes(1)] }, 2)).toEqual(denied);
  });

  test("an update replaces the conditions, also without a decryption type", async () => {
    const retrieve = async (cid: string) => {
      const caller = { address: account(devnet(), 1).address, cid };
      return (await send("POST", url("/api/retrieveSharedKey/1"), caller, callerJwt)).status;
    };
    const [plain, byAddress] = [randomUUID(), randomUUID()];
    const saved = { address: ownerAddress(), cid: plain, payload: shard };
    await send("POST", url("/api/setSharedKey/1"), saved, ownerJwt);
    await lock("POST", byAddress, { conditions: [no(1)], decryptionType: "ADDRESS" });
    for (const cid of [plain, byAddress]) await lock("PUT", cid, { conditions: [yes(1)], decryptionType: undefined });
    expect([await retrieve(plain), await retrieve(byAddress)]).toEqual([200, 200]);
  });

  test("saving a shard again keeps them, and so does a transfer of ownership", async () => {
    const cid = randomUUID();
    await lock("POST", cid, { conditions: [yes(1)] });
    await send("POST", url("/api/setSharedKey/1"), { address: ownerAddress(), cid, payload: shard }, ownerJwt);
    const heir = { address: ownerAddress(), cid, newOwner: account(devnet(), 2).address };
    await send("POST", url("/api/transferOwnership/1"), heir, ownerJwt);
    const { body } = await send("GET", url(`/api/fileAccessConditions/get/${cid}`));
    expect(body).toMatchObject({ owner: heir.newOwner, conditions: [yes(1)] });
  });
});

test("they are returned to anyone as they were sent, also while a node is down", async () => {
  const cid = randomUUID();
  const conditions = [yes(1), token({ id: 2 })];
  const fields = { conditions, aggregator: "[1] and [2]", chainType: "" };
  for (const node of [1, 2]) await lock("POST", cid, fields, node);
  devnet().stopNode(1);
  expect(await send("GET", url(`/api/fileAccessConditions/get/${cid}`))).toEqual({
    status: 200,
    body: {
      aggregator: "[1] and [2]",
      owner: ownerAddress(),
      cid,
      sharedTo: [],
      conditions,
      conditionsSolana: [],
      decryptionType: "ACCESS_CONDITIONS",
      chainType: "EVM",
    },
  });
});

test.each([
  ["SOLANA", "conditionsSolana", { chain: "devnet", pdaInterface: {} }],
  ["COREUM", "conditionsCoreum", { chain: "Coreum_Devnet", denom: "core" }],
  ["RADIX", "conditionsRadix", { chain: "Radix_Mainnet", resourceAddress: "resource_1", method: "getFtsByAddress" }],
])("conditions of chain type %s are in %s", async (chainType, list, change) => {
  const cid = randomUUID();
  const condition = native(change);
  expect(await lock("POST", cid, { conditions: [condition], chainType })).toMatchObject({ status: 200 });
  const { body } = await send("GET", url(`/api/fileAccessConditions/get/${cid}`));
  expect(body).toMatchObject({ conditions: [], [list]: [condition], chainType });
});

test.each<[string, () => Record<string, unknown>, string]>([
  ["no conditions", () => ({}), "conditions must be a list of 1 to 50"],
  ["an empty list", () => ({ conditions: [] }), "conditions must be a list of 1 to 50"],
  ["a string", () => ({ conditions: ["x"] }), "conditions[0] must be an object"],
  [
    "a chain type",
    () => ({ conditions: [yes(1)], chainType: "BTC" }),
    "chainType must be one of EVM, SOLANA, COREUM, RADIX",
  ],
  [
    "a decryption type",
    () => ({ conditions: [yes(1)], decryptionType: "ALL" }),
    "decryptionType must be one of ADDRESS, ACCESS_CONDITIONS",
  ],
  [
    "ids that are the same",
    () => ({ conditions: [yes(1), yes(1)], aggregator: "[1] and [1]" }),
    "conditions must have ids that differ",
  ],
  ["an id", () => ({ conditions: [yes(0)] }), "conditions[0].id must be a number from 1 on"],
  ["no chain", () => ({ conditions: [native({ chain: "" })] }), "conditions[0].chain is required"],
  [
    "a contract type",
    () => ({ conditions: [token({ standardContractType: "ERC7" })] }),
    'conditions[0].standardContractType must be one of "erc20", "erc721", "erc1155", "custom", ""',
  ],
  [
    "a method",
    () => ({ conditions: [native({ method: "x" })] }),
    'conditions[0].method must be one of "getBalance", "getBlockNumber"',
  ],
  [
    "no contract",
    () => ({ conditions: [token({ contractAddress: undefined })] }),
    "conditions[0].contractAddress is required",
  ],
  ["no parameters", () => ({ conditions: [token({ parameters: undefined })] }), "conditions[0].parameters is required"],
  ["parameters", () => ({ conditions: [token({ parameters: "x" })] }), "conditions[0].parameters must be a list"],
  [
    "a comparator",
    () => ({ conditions: [token({ returnValueTest: { comparator: "=", value: 1 } })] }),
    "conditions[0].returnValueTest.comparator must be one of == >= <= != > <",
  ],
  [
    "no value",
    () => ({ conditions: [token({ returnValueTest: { comparator: "==" } })] }),
    "conditions[0].returnValueTest.value must be a number, a string or a list",
  ],
  [
    "a type",
    () => ({ conditions: [custom({ inputArrayType: ["uint7"] })] }),
    "conditions[0].inputArrayType must name Solidity types that conditions may use",
  ],
  [
    "no output type",
    () => ({ conditions: [custom({ outputType: undefined })] }),
    "conditions[0].outputType must name Solidity types that conditions may use",
  ],
  [
    "no PDA interface",
    () => ({ conditions: [native({ chain: "DEVNET" })], chainType: "SOLANA" }),
    "conditions[0].pdaInterface must be an object",
  ],
  [
    "a Solana chain",
    () => ({ conditions: [native({ chain: "Polygon" })], chainType: "SOLANA" }),
    'conditions[0].chain must be one of "devnet", "testnet", "mainnet"',
  ],
  [
    "no resource",
    () => ({ conditions: [native({ chain: "Radix_Mainnet" })], chainType: "RADIX" }),
    "conditions[0].resourceAddress is required",
  ],
  ["no shard", () => ({ conditions: [yes(1)], payload: null }), "Invalid payload"],
])("%s is a 400 and changes nothing", async (_, fields, message) => {
  const cid = randomUUID();
  expect(await lock("POST", cid, fields())).toEqual({ status: 400, body: { message } });
  expect((await send("GET", url(`/api/fileAccessConditions/get/${cid}`))).status).toBe(404);
});
