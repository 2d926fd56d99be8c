import fc from "fast-check";
import { expect, it } from "vitest";
import { isKeeplightError } from "../../../src/errors/base.ts";
import type { ChainType } from "../../../src/kavach/conditions/chain-types.ts";
import { checkConditions } from "../../../src/kavach/conditions/check-conditions.ts";

const runs = { numRuns: 1_000 };
const text = fc.string({ minLength: 1, maxLength: 12 });
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const parameters = fc.array(json, { maxLength: 4 });
const scalar = fc.constantFrom(
  "address",
  "bool",
  "bytes1",
  "bytes16",
  "bytes32",
  "uint8",
  "int24",
  "uint256",
  "int192",
);
const solidityType = fc.tuple(scalar, fc.boolean()).map(([type, list]) => (list ? `${type}[]` : type));

const common = {
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  returnValueTest: fc.record({
    comparator: fc.constantFrom("==", ">=", "<=", "!=", ">", "<"),
    value: fc.oneof(fc.integer(), text, fc.array(json, { maxLength: 3 })),
  }),
};

/** A model as `fast-check` has it; each makes conditions that have to be taken. */
const models: Record<ChainType, fc.Arbitrary<Record<string, unknown>>> = {
  EVM: fc.oneof(
    fc.record({
      ...common,
      chain: text,
      standardContractType: fc.constantFrom("ERC20", "ERC721", "ERC1155"),
      contractAddress: text,
      method: text,
      parameters,
    }),
    fc.record({
      ...common,
      chain: text,
      standardContractType: fc.constant("Custom"),
      contractAddress: text,
      method: text,
      parameters,
      inputArrayType: fc.array(solidityType, { maxLength: 4 }),
      outputType: solidityType,
    }),
    fc.record(
      {
        ...common,
        chain: text,
        standardContractType: fc.constant(""),
        contractAddress: fc.string(),
        method: fc.constantFrom("getBalance", "getBlockNumber"),
        parameters,
      },
      { requiredKeys: ["id", "returnValueTest", "chain", "standardContractType", "method"] },
    ),
  ),
  SOLANA: fc
    .tuple(
      fc.record(
        {
          ...common,
          chain: fc.constantFrom("DEVNET", "TESTNET", "MAINNET"),
          parameters,
          pdaInterface: fc.record({ offset: fc.nat(), selector: fc.string() }, { requiredKeys: [] }),
        },
        { requiredKeys: ["id", "returnValueTest", "chain", "pdaInterface"] },
      ),
      fc.oneof(
        fc.record({
          standardContractType: fc.constant("spl-token"),
          contractAddress: text,
          method: fc.constant("getTokenAccountsByOwner"),
        }),
        fc.record({
          standardContractType: fc.constant(""),
          method: fc.constantFrom("getBalance", "getLastBlockTime", "getBlockHeight"),
        }),
      ),
    )
    .map(([shared, own]) => ({ ...shared, ...own })),
  COREUM: fc.record(
    {
      ...common,
      chain: fc.constantFrom("Coreum_Devnet", "Coreum_Testnet", "Coreum_Mainnet"),
      standardContractType: text,
      contractAddress: text,
      method: text,
      parameters,
      denom: fc.string(),
      classid: fc.string(),
    },
    {
      requiredKeys: [
        "id",
        "returnValueTest",
        "chain",
        "standardContractType",
        "contractAddress",
        "method",
        "parameters",
      ],
    },
  ),
  RADIX: fc.record(
    {
      ...common,
      chain: fc.constant("Radix_Mainnet"),
      standardContractType: fc.string(),
      resourceAddress: text,
      method: text,
      parameters,
    },
    { requiredKeys: ["id", "returnValueTest", "chain", "resourceAddress", "method"] },
  ),
};

/** Two to five conditions of one chain type, each with an id of its own, and an aggregator that names them all. */
const lists = fc
  .constantFrom<ChainType>("EVM", "SOLANA", "COREUM", "RADIX")
  .chain((chainType) =>
    fc.record({
      chainType: fc.constant(chainType),
      conditions: fc.uniqueArray(models[chainType], { minLength: 1, maxLength: 5, selector: ({ id }) => id }),
    }),
  )
  .map((list) => ({ ...list, aggregator: list.conditions.map(({ id }) => `[${id}]`).join(" and ") }));

function check(conditions: unknown, aggregator: unknown, chainType: unknown) {
  try {
    return { conditions: checkConditions(conditions, aggregator, chainType).conditions };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { code: error.code, message: error.message, problems: error.details["problems"] };
  }
}

it("gives valid conditions back as they were, and leaves them as they were", () => {
  fc.assert(
    fc.property(lists, ({ chainType, conditions, aggregator }) => {
      const before = structuredClone(conditions);
      expect(check(conditions, aggregator, chainType)).toEqual({ conditions: before });
      expect(conditions).toEqual(before);
    }),
    runs,
  );
});

it("takes conditions that have been through JSON", () => {
  fc.assert(
    fc.property(lists, ({ chainType, conditions, aggregator }) => {
      const first = check(conditions, aggregator, chainType).conditions;
      const wired: unknown = JSON.parse(JSON.stringify(first));
      expect(check(wired, aggregator, chainType)).toEqual({ conditions: wired });
    }),
    runs,
  );
});

it("names the condition and the field when a required field of one condition is taken out or spoilt", () => {
  const required = ["id", "chain", "method", "returnValueTest"];
  const spoilt = fc.constantFrom<unknown>(undefined, {}, [], Number.NaN, "", Symbol("no"), () => 1);
  fc.assert(
    fc.property(
      lists,
      fc.nat(),
      fc.constantFrom(...required),
      spoilt,
      ({ chainType, conditions, aggregator }, at, field, to) => {
        const position = at % conditions.length;
        const broken = conditions.map((condition, other) =>
          other === position ? { ...condition, [field]: to } : condition,
        );
        const { code, message, problems } = check(broken, aggregator, chainType);
        expect(code).toBe("INVALID_CONDITION");
        expect(message).toMatch(/^Condition validation error: /);
        const named = (problems as { position: number; field: string }[]).map((problem) => [
          problem.position,
          problem.field.split(".")[0],
        ]);
        expect(named).toContainEqual([position, field]);
      },
    ),
    runs,
  );
});

it("whatever is given, conditions are taken or refused by INVALID_CONDITION", () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  const almost = lists.chain(({ conditions }) =>
    fc.array(fc.oneof(fc.constantFrom(...conditions), anything), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.oneof(almost, anything),
      fc.oneof(fc.constant("[1] and [2]"), anything),
      (conditions, aggregator) => {
        const { code } = check(conditions, aggregator, "EVM");
        expect([undefined, "INVALID_CONDITION"]).toContain(code);
      },
    ),
    runs,
  );
});
