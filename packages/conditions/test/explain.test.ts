import { describe, expect, it, test } from "vitest";
import type { EvmCondition } from "../../../src/keys/conditions/chains.ts";
import {
  contract,
  coreumSamples,
  radixSamples,
  samples,
  solanaSamples,
} from "../../../test/access-conditions/samples.ts";
import { explainConditions } from "../src/explain.ts";

const { token, custom, native } = samples;

describe("one condition is one sentence", () => {
  const on = `${contract} on Polygon`;
  test.each<[EvmCondition, string]>([
    [token, `the number of ERC721 tokens of ${on} that the requester owns is at least 1`],
    [
      { ...token, standardContractType: "ERC20", returnValueTest: { comparator: ">", value: "1000" } },
      `the balance of the requester in the ERC20 token ${on} is greater than 1000 base units`,
    ],
    [
      { ...token, standardContractType: "ERC1155", parameters: [":userAddress", 5] },
      `the balance of the requester in token 5 of the ERC1155 contract ${on} is at least 1`,
    ],
    [
      {
        ...token,
        method: "ownerOf",
        parameters: [":tokenId"],
        returnValueTest: { comparator: "==", value: ":userAddress" },
      },
      `the owner of token the value given for "tokenId" of the ERC721 contract ${on} is equal to the requester`,
    ],
    [
      { ...token, method: "tokenURI", parameters: [5], returnValueTest: { comparator: "!=", value: "gold" } },
      `the result of tokenURI(5) of the ERC721 contract ${on} is different from "gold"`,
    ],
    [
      custom,
      `the result of isMember(the requester, 7) of the Custom contract ${contract} on FantomTest is equal to true`,
    ],
    [
      { ...custom, parameters: [["a", [true]], "b"], returnValueTest: { comparator: "==", value: [1, "2"] } },
      `the result of isMember(["a", [true]], "b") of the Custom contract ${contract} on FantomTest is equal to [1, 2]`,
    ],
    [native, "the native balance of the requester on Optimism is greater than 1 ETH"],
    [
      { ...native, parameters: [contract], returnValueTest: { comparator: "<=", value: 0 } },
      `the native balance of ${contract} on Optimism is at most 0 ETH`,
    ],
    [
      { ...native, method: "getBlockNumber", returnValueTest: { comparator: "<", value: 5 } },
      "the latest block number of Optimism is less than 5",
    ],
  ])("%#", (condition, sentence) => {
    expect(explainConditions([condition])).toBe(`Access is granted if ${sentence}.`);
  });
});

describe("amounts of native coins are in whole coins", () => {
  const explain = (chain: string, value: string | number) =>
    explainConditions([{ ...native, chain, returnValueTest: { comparator: ">=", value } }]).replace(/.* is /, "");
  test.each([
    ["Ethereum", "1500000000000000000", "at least 1.5 ETH."],
    ["ethereum", "1", "at least 0.000000000000000001 ETH."],
    ["Polygon", 5e15, "at least 0.005 POL."],
    ["BSC", "123000000000000000000", "at least 123 BNB."],
    ["AVAX", "0", "at least 0 AVAX."],
    ["Filecoin", "10000000000000000000", "at least 10 FIL."],
    ["Calibration", "10000000000000000000", "at least 10 tFIL."],
    ["FantomTest", "1000000000000000000000000000000", "at least 1000000000000 FTM."],
    // The list of chains grows on the server.
    ["Somewhere", "1500000000000000000", "at least 1500000000000000000 base units."],
    ["constructor", "1", "at least 1 base unit."],
  ])("%s %s", (chain, value, expected) => {
    expect(explain(chain, value)).toBe(expected);
  });

  it("but what is no whole number stays as it is, and says what it counts", () => {
    const sentence = (value: string | number) =>
      explainConditions([{ ...native, returnValueTest: { comparator: "==", value } }]);
    for (const value of ["0x10", ":least", "1.5", "-5"]) {
      expect(sentence(value)).toContain("on Optimism, in base units, is equal to ");
    }
  });
});

it("other chain types have their own descriptions", () => {
  expect(explainConditions([solanaSamples.token], null, { chainType: "SOLANA" })).toBe(
    `Access is granted if field "amount", the value at offset 0 of getTokenAccountsByOwner() for the SPL token ` +
      `${solanaSamples.token.contractAddress} on Solana DEVNET is at least 1.`,
  );
  expect(explainConditions([solanaSamples.native], null, { chainType: "solana" })).toBe(
    "Access is granted if the time of the last block of Solana MAINNET is greater than 1700000000.",
  );
  expect(
    explainConditions([{ ...solanaSamples.native, method: "getBlockHeight" }], null, { chainType: "SOLANA" }),
  ).toBe("Access is granted if the block height of Solana MAINNET is greater than 1700000000.");
  expect(explainConditions([{ ...solanaSamples.native, method: "getBalance" }], null, { chainType: "SOLANA" })).toBe(
    "Access is granted if the balance of the requester on Solana MAINNET is greater than 1.7 SOL.",
  );
  expect(explainConditions([coreumSamples.contract], "", { chainType: "COREUM" })).toBe(
    "Access is granted if the result of balance(the requester) for the nft contract testcore1contract, " +
      "the class pass on Coreum_Testnet is at least 1.",
  );
  expect(explainConditions([coreumSamples.native], "", { chainType: "COREUM" })).toBe(
    "Access is granted if the result of getBalance() for the denomination ucore on Coreum_Mainnet is at least 1000.",
  );
  expect(explainConditions([radixSamples.resource], undefined, { chainType: "RADIX" })).toBe(
    `Access is granted if the result of getFtsByAddress() for the resource ${radixSamples.resource.resourceAddress} ` +
      "on Radix_Mainnet is at least 1.",
  );
});

it("several conditions are a list in the shape of the aggregator", () => {
  const conditions = [1, 2, 3, 4, 5].map((id) => ({
    ...native,
    id,
    method: "getBlockNumber" as const,
    returnValueTest: { comparator: ">" as const, value: id },
  }));
  const line = (id: number) => `[${id}] the latest block number of Optimism is greater than ${id}`;
  expect(explainConditions(conditions, "[1] and ![2] and ([3] or !([4] and [5]))")).toBe(
    [
      "Access is granted if all of these hold:",
      `- ${line(1)}`,
      "- this does not hold:",
      `  - ${line(2)}`,
      "- at least one of these holds:",
      `  - ${line(3)}`,
      "  - not all of these hold:",
      `    - ${line(4)}`,
      `    - ${line(5)}`,
    ].join("\n"),
  );
  expect(explainConditions(conditions.slice(0, 2), "!([1] or [2])")).toBe(
    ["Access is granted if none of these holds:", `- ${line(1)}`, `- ${line(2)}`].join("\n"),
  );
  expect(explainConditions(conditions.slice(0, 1), "![1]")).toBe(
    ["Access is granted if this does not hold:", `- ${line(1)}`].join("\n"),
  );
  expect(explainConditions(conditions.slice(0, 2), "!!([1] and !![2])")).toBe(
    ["Access is granted if all of these hold:", `- ${line(1)}`, `- ${line(2)}`].join("\n"),
  );
});

it("refuses invalid conditions and options", () => {
  const invalid = (message: string) => expect.objectContaining({ code: "INVALID_CONDITION", message });
  expect(() => explainConditions([])).toThrow(
    invalid("Condition validation error: conditions must be an array of at least one condition"),
  );
  expect(() => explainConditions([token], "[2]")).toThrow(
    invalid("Condition validation error: aggregator names [2], and no condition has the id 2"),
  );
  for (const options of [null, 5, { chain: "EVM" }]) {
    expect(() => explainConditions([token], null, options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  }
});
