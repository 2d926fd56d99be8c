import { expect, it, test } from "vitest";
import type { ChainType } from "../../src/keys/conditions/check-conditions.ts";
import { refusal } from "./refusal.ts";
import { changed, coreumSamples, radixSamples, samples, solanaSamples } from "./samples.ts";
import { sent } from "./sent.ts";

const { token, custom, native } = samples;
const evm = [token, custom, native];
const solana = [solanaSamples.token, solanaSamples.native];
const coreum = [coreumSamples.contract, coreumSamples.native];
const radix = [radixSamples.resource];
const all: [ChainType, readonly object[]][] = [
  ["EVM", evm],
  ["SOLANA", solana],
  ["COREUM", coreum],
  ["RADIX", radix],
];
const everyKind = all.flatMap(([chainType, list]) => list.map((condition) => ({ chainType, condition })));

async function findProblem(condition: unknown, chainType: ChainType): Promise<unknown> {
  const error = await refusal([condition], chainType);
  expect(error.code).toBe("INVALID_CONDITION");
  expect(error.message).toMatch(/^Condition validation error: conditions\[0\]/);
  const [problem] = error.details["problems"] as { field: string; expected: string }[];
  return `${problem?.field} ${problem?.expected}`;
}

it.each(everyKind)("sends a $condition.method condition of $chainType unchanged", async ({ chainType, condition }) => {
  expect(await sent([condition], chainType)).toMatchObject({ chainType, conditions: [condition] });
});

/** Valid changes. */
const fine: [what: string, ChainType, condition: object, field: string, to: unknown][] = [
  ...everyKind.flatMap(({ chainType, condition }): typeof fine => [
    ["any whole id from 1 on", chainType, condition, "id", 4_000_000_000],
    ["an id that is not whole", chainType, condition, "id", 1.5],
    ["the largest number that JSON represents exactly", chainType, condition, "returnValueTest.value", 2 ** 53 - 1],
    ["a larger number as a string", chainType, condition, "returnValueTest.value", "1000000000000000000000"],
    ...["==", ">=", "<=", "!=", ">", "<"].map((comparator): (typeof fine)[number] => [
      `the comparator ${comparator}`,
      chainType,
      condition,
      "returnValueTest.comparator",
      comparator,
    ]),
    ["a number to compare with", chainType, condition, "returnValueTest.value", -1.5],
    ["a string to compare with", chainType, condition, "returnValueTest.value", ""],
    ["an array to compare with", chainType, condition, "returnValueTest.value", [1, "two", [true]]],
  ]),
  ["an unknown chain", "EVM", token, "chain", "Some_Chain_Of_2031"],
  ["a chain in another case", "EVM", token, "chain", "POLYGON"],
  ["ERC20", "EVM", token, "standardContractType", "ERC20"],
  ["ERC1155", "EVM", token, "standardContractType", "ERC1155"],
  ["any method of a token", "EVM", token, "method", "tokenOfOwnerByIndex"],
  ["no parameters in a list", "EVM", token, "parameters", []],
  ["parameters of every kind", "EVM", token, "parameters", [1, "a", true, null, ["b", [2]], { c: 3 }]],
  ["no inputs in a list", "EVM", custom, "inputArrayType", []],
  ["getBlockNumber", "EVM", native, "method", "getBlockNumber"],
  ["parameters without a type", "EVM", native, "parameters", [":userAddress"]],
  ["an address without a type", "EVM", native, "contractAddress", "0x00"],
  ["an empty address without a type", "EVM", native, "contractAddress", ""],
  ["a Solana token without offset", "SOLANA", solanaSamples.token, "pdaInterface.offset", undefined],
  ["a Solana token without selector", "SOLANA", solanaSamples.token, "pdaInterface.selector", undefined],
  ["a Solana token with parameters", "SOLANA", solanaSamples.token, "parameters", ["a"]],
  ["TESTNET", "SOLANA", solanaSamples.native, "chain", "TESTNET"],
  ["getBalance of Solana", "SOLANA", solanaSamples.native, "method", "getBalance"],
  ["getBlockHeight of Solana", "SOLANA", solanaSamples.native, "method", "getBlockHeight"],
  ["Coreum_Devnet", "COREUM", coreumSamples.native, "chain", "Coreum_Devnet"],
  ["any method of Coreum", "COREUM", coreumSamples.native, "method", "anyMethod"],
  ["no denomination", "COREUM", coreumSamples.native, "denom", undefined],
  ["no contract type on Coreum", "COREUM", coreumSamples.native, "standardContractType", undefined],
  ["any contract type on Coreum", "COREUM", coreumSamples.contract, "standardContractType", "cw721"],
  ["any method of Radix", "RADIX", radixSamples.resource, "method", "getNftsByAddress"],
  ["any contract type on Radix", "RADIX", radixSamples.resource, "standardContractType", "token"],
  ["no contract type on Radix", "RADIX", radixSamples.resource, "standardContractType", undefined],
  ["parameters on Radix", "RADIX", radixSamples.resource, "parameters", [":userAddress"]],
];

test.each(fine)("%s is accepted (%s)", async (_, chainType, condition, field, to) => {
  const valid = changed(condition, field, to);
  expect((await sent([valid], chainType)).conditions).toEqual([valid]);
});

const NON_EMPTY = "must be a non-empty string";
const ID = "must be a number from 1 on";
const UNSAFE = "must be at most 2^53 - 1 in size as a number: use a string for larger ones";
const COMPARATOR = "must be ==, >=, <=, !=, > or <";
const SOLIDITY = /^outputType must be a Solidity type: address, bool, bytes1 to bytes8, /;

/** Invalid changes, with the field and expectation in the error. */
const refused: [what: string, ChainType, condition: object, field: string, to: unknown, problem: string | RegExp][] = [
  ...everyKind.flatMap(({ chainType, condition }): typeof refused => [
    ["no id", chainType, condition, "id", undefined, `id ${ID}`],
    ["id 0", chainType, condition, "id", 0, `id ${ID}`],
    ["a negative id", chainType, condition, "id", -1, `id ${ID}`],
    ["an id below 1", chainType, condition, "id", 0.5, `id ${ID}`],
    ["an id that JSON rounds", chainType, condition, "id", 2 ** 53, `id ${ID}`],
    ["a string as id", chainType, condition, "id", "1", `id ${ID}`],
    ["NaN as id", chainType, condition, "id", Number.NaN, `id ${ID}`],
    ["no chain", chainType, condition, "chain", undefined, /^chain must be /],
    ["an empty chain", chainType, condition, "chain", "", /^chain must be /],
    ["no method", chainType, condition, "method", undefined, /^method must be /],
    ["an empty method", chainType, condition, "method", "", /^method must be /],
    [
      "no test",
      chainType,
      condition,
      "returnValueTest",
      undefined,
      "returnValueTest must be an object { comparator, value }",
    ],
    [
      "no comparator",
      chainType,
      condition,
      "returnValueTest.comparator",
      undefined,
      `returnValueTest.comparator ${COMPARATOR}`,
    ],
    [
      "comparator =",
      chainType,
      condition,
      "returnValueTest.comparator",
      "=",
      `returnValueTest.comparator ${COMPARATOR}`,
    ],
    [
      "comparator ===",
      chainType,
      condition,
      "returnValueTest.comparator",
      "===",
      `returnValueTest.comparator ${COMPARATOR}`,
    ],
    [
      "no value",
      chainType,
      condition,
      "returnValueTest.value",
      undefined,
      "returnValueTest.value must be a number, a string or an array",
    ],
    [
      "a truth value",
      chainType,
      condition,
      "returnValueTest.value",
      true,
      "returnValueTest.value must be a number, a string or an array",
    ],
    [
      "null",
      chainType,
      condition,
      "returnValueTest.value",
      null,
      "returnValueTest.value must be a number, a string or an array",
    ],
    [
      "infinity",
      chainType,
      condition,
      "returnValueTest.value",
      Number.POSITIVE_INFINITY,
      "returnValueTest.value must be a number, a string or an array",
    ],
    ["parameters that are no list", chainType, condition, "parameters", ":userAddress", "parameters must be an array"],
    [
      "a parameter no JSON has",
      chainType,
      condition,
      "parameters",
      [1, undefined],
      "parameters[1] must be a value that JSON can represent",
    ],
    ...[2 ** 53, -(2 ** 53), 1e21].flatMap((number): typeof refused => [
      [
        `the number ${number}`,
        chainType,
        condition,
        "returnValueTest.value",
        number,
        `returnValueTest.value ${UNSAFE}`,
      ],
      [
        `${number} in a list`,
        chainType,
        condition,
        "returnValueTest.value",
        [1, number],
        `returnValueTest.value ${UNSAFE}`,
      ],
      [`${number} as a parameter`, chainType, condition, "parameters", ["a", { b: number }], `parameters[1] ${UNSAFE}`],
    ]),
    ["an unknown field", chainType, condition, "paramters", [], "paramters is not a field of this kind of condition"],
    [
      "an unknown field inside",
      chainType,
      condition,
      "returnValueTest.values",
      1,
      "returnValueTest.values is not a field of this kind of condition",
    ],
    ["a number as contract type", chainType, condition, "standardContractType", 20, /^standardContractType must be /],
  ]),
  [
    "no contract type",
    "EVM",
    token,
    "standardContractType",
    undefined,
    "standardContractType must be ERC20, ERC721, ERC1155, Custom or empty",
  ],
  [
    "ERC777",
    "EVM",
    token,
    "standardContractType",
    "ERC777",
    "standardContractType must be ERC20, ERC721, ERC1155, Custom or empty",
  ],
  [
    "a type of another chain",
    "EVM",
    token,
    "standardContractType",
    "spl-token",
    "standardContractType must be ERC20, ERC721, ERC1155, Custom or empty",
  ],
  ["a token without address", "EVM", token, "contractAddress", undefined, `contractAddress ${NON_EMPTY}`],
  ["a token with an empty address", "EVM", token, "contractAddress", "", `contractAddress ${NON_EMPTY}`],
  ["a token without parameters", "EVM", token, "parameters", undefined, "parameters must be an array"],
  [
    "a token with inputs",
    "EVM",
    token,
    "inputArrayType",
    ["address"],
    "inputArrayType is not a field of this kind of condition",
  ],
  ["a token with an output", "EVM", token, "outputType", "bool", "outputType is not a field of this kind of condition"],
  ["a Custom call without address", "EVM", custom, "contractAddress", undefined, `contractAddress ${NON_EMPTY}`],
  ["a Custom call without parameters", "EVM", custom, "parameters", undefined, "parameters must be an array"],
  [
    "a Custom call without inputs",
    "EVM",
    custom,
    "inputArrayType",
    undefined,
    "inputArrayType must be an array of Solidity types",
  ],
  [
    "a Custom call with one input as a string",
    "EVM",
    custom,
    "inputArrayType",
    "address",
    "inputArrayType must be an array of Solidity types",
  ],
  [
    "a Custom call with an unknown input",
    "EVM",
    custom,
    "inputArrayType",
    ["address", "tuple"],
    /^inputArrayType\[1\] must be a Solidity type/,
  ],
  ["a Custom call without output", "EVM", custom, "outputType", undefined, SOLIDITY],
  ["a Custom call with two outputs", "EVM", custom, "outputType", ["bool", "bool"], SOLIDITY],
  [
    "another method without a type",
    "EVM",
    native,
    "method",
    "balanceOf",
    "method must be getBalance or getBlockNumber",
  ],
  ["a method in another case", "EVM", native, "method", "getbalance", "method must be getBalance or getBlockNumber"],
  ["a field of Solana", "EVM", token, "pdaInterface", {}, "pdaInterface is not a field of this kind of condition"],
  [
    "no contract type on Solana",
    "SOLANA",
    solanaSamples.token,
    "standardContractType",
    undefined,
    "standardContractType must be spl-token or empty",
  ],
  [
    "ERC20 on Solana",
    "SOLANA",
    solanaSamples.token,
    "standardContractType",
    "ERC20",
    "standardContractType must be spl-token or empty",
  ],
  [
    "an EVM chain on Solana",
    "SOLANA",
    solanaSamples.token,
    "chain",
    "Polygon",
    "chain must be DEVNET, TESTNET or MAINNET, in any case",
  ],
  [
    "a Solana token without address",
    "SOLANA",
    solanaSamples.token,
    "contractAddress",
    undefined,
    `contractAddress ${NON_EMPTY}`,
  ],
  [
    "another method of a Solana token",
    "SOLANA",
    solanaSamples.token,
    "method",
    "getBalance",
    "method must be getTokenAccountsByOwner",
  ],
  [
    "a token's method of Solana itself",
    "SOLANA",
    solanaSamples.native,
    "method",
    "getTokenAccountsByOwner",
    "method must be getBalance, getLastBlockTime or getBlockHeight",
  ],
  [
    "a Solana token without interface",
    "SOLANA",
    solanaSamples.token,
    "pdaInterface",
    undefined,
    "pdaInterface must be an object { offset, selector }, both optional",
  ],
  [
    "Solana itself without interface",
    "SOLANA",
    solanaSamples.native,
    "pdaInterface",
    undefined,
    "pdaInterface must be an object { offset, selector }, both optional",
  ],
  [
    "a negative offset",
    "SOLANA",
    solanaSamples.token,
    "pdaInterface.offset",
    -1,
    "pdaInterface.offset must be a number from 0 on",
  ],
  [
    "a string as offset",
    "SOLANA",
    solanaSamples.token,
    "pdaInterface.offset",
    "0",
    "pdaInterface.offset must be a number from 0 on",
  ],
  [
    "a number as selector",
    "SOLANA",
    solanaSamples.token,
    "pdaInterface.selector",
    5,
    "pdaInterface.selector must be a string",
  ],
  [
    "an unknown chain of Coreum",
    "COREUM",
    coreumSamples.native,
    "chain",
    "Coreum",
    "chain must be Coreum_Devnet, Coreum_Testnet or Coreum_Mainnet, in any case",
  ],
  [
    "a Coreum contract without address",
    "COREUM",
    coreumSamples.contract,
    "contractAddress",
    undefined,
    `contractAddress ${NON_EMPTY}`,
  ],
  [
    "a Coreum contract without parameters",
    "COREUM",
    coreumSamples.contract,
    "parameters",
    undefined,
    "parameters must be an array",
  ],
  ["a number as denomination", "COREUM", coreumSamples.native, "denom", 1, "denom must be a string"],
  ["a number as class", "COREUM", coreumSamples.contract, "classid", 1, "classid must be a string"],
  [
    "another chain of Radix",
    "RADIX",
    radixSamples.resource,
    "chain",
    "Radix_Testnet",
    "chain must be Radix_Mainnet, in any case",
  ],
  [
    "Radix without resource",
    "RADIX",
    radixSamples.resource,
    "resourceAddress",
    undefined,
    `resourceAddress ${NON_EMPTY}`,
  ],
];

test.each(refused)("%s is refused (%s)", async (_, chainType, condition, field, to, problem) => {
  const found = await findProblem(changed(condition, field, to), chainType);
  if (typeof problem === "string") expect(found).toBe(problem);
  else expect(found).toMatch(problem);
});
