import { describe, expect, it, test } from "vitest";
import { refusal } from "./refusal.ts";
import { samples, solanaSamples } from "./samples.ts";
import { sent } from "./sent.ts";

const { token, custom, native } = samples;

const scalars = [
  "address",
  "bool",
  ...[1, 2, 3, 4, 5, 6, 7, 8, 16, 32].map((count) => `bytes${count}`),
  ...[8, 16, 24, 32, 40, 48, 64, 128, 192, 256].flatMap((bits) => [`uint${bits}`, `int${bits}`]),
];

test.each([...scalars, ...scalars.map((type) => `${type}[]`)])("%s is a type of Custom calls", async (type) => {
  const condition = { ...custom, outputType: type, inputArrayType: [type] };
  expect((await sent([condition])).conditions).toEqual([condition]);
});

test.each([
  ...["", "uint", "int", "bytes", "string", "tuple", "Address", "uint256[][]", "uint256[3]", "uint256 "],
  ...["bytes0", "bytes9", "bytes15", "bytes33", "uint1", "uint56", "uint72", "uint512", "int0", "[]"],
])("%o is not a type of Custom calls", async (type) => {
  expect((await refusal([{ ...custom, outputType: type }])).message).toContain(
    "(id 1): outputType must be a Solidity type: ",
  );
  expect((await refusal([{ ...custom, inputArrayType: [type] }])).message).toContain(
    "(id 1): inputArrayType[0] must be a Solidity type: ",
  );
});

describe("the list", () => {
  it.each([undefined, null, {}, "[]", []])("refuses %o: there must be at least one condition", async (conditions) => {
    const { message } = await refusal(conditions);
    expect(message).toBe("Condition validation error: conditions must be an array of at least one condition");
  });

  it.each([undefined, null, 5, "ERC20", []])("refuses %o in it", async (condition) => {
    const { message } = await refusal([token, condition], "EVM", "[1] and [2]");
    expect(message).toBe("Condition validation error: conditions[1] must be an object");
  });

  it("refuses a hole", async () => {
    const { message } = await refusal(Object.assign(new Array(3), { 0: token, 2: token }), "EVM", "[1] and [2]");
    expect(message).toMatch(/^Condition validation error: conditions\[1\] must be an object \(and 1 more\)$/);
  });

  it("refuses a repeated id, and names both positions", async () => {
    const { message, details } = await refusal([
      { ...token, id: 3 },
      { ...native, id: 1 },
      { ...custom, id: 3 },
    ]);
    expect(message).toBe(
      "Condition validation error: conditions[2] (id 3): id must be unique, and conditions[0] has the same",
    );
    expect(details).toEqual({
      problems: [{ position: 2, id: 3, field: "id", expected: "must be unique, and conditions[0] has the same" }],
    });
  });

  it("lists every problem of every condition in the details, the first one in the message", async () => {
    const bad = { ...token, id: 7, chain: "", method: 5 };
    const { message, details } = await refusal([native, bad, { ...custom, id: "x" }], "EVM", "[1] and [7]");
    expect(message).toBe(
      `Condition validation error: conditions[1] (id 7): chain must be a non-empty string (and 2 more)`,
    );
    expect(details["problems"]).toEqual([
      { position: 1, id: 7, field: "chain", expected: "must be a non-empty string" },
      { position: 1, id: 7, field: "method", expected: "must be a non-empty string" },
      { position: 2, field: "id", expected: "must be a number from 1 on" },
    ]);
  });

  it("refuses conditions of another chain type", async () => {
    expect((await refusal([solanaSamples.token], "EVM")).message).toMatch(/standardContractType must be ERC20/);
    expect((await refusal([token], "SOLANA")).message).toMatch(/standardContractType must be spl-token/);
    expect((await refusal([token], "COREUM")).message).toMatch(/chain must be Coreum_Devnet/);
    expect((await refusal([token], "RADIX")).message).toMatch(/chain must be Radix_Mainnet/);
  });
});
