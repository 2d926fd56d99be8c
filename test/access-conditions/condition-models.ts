import fc from "fast-check";
import type { ChainType } from "../../src/keys/conditions/check-conditions.ts";

const text = fc.string({ minLength: 1, maxLength: 12 });
/** Integers that JSON does not represent exactly are refused. */
const exact = (_: string, value: unknown) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value), exact) as unknown);
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

/** A `fast-check` model; each generates valid conditions. */
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

/** One to three conditions of one chain type with unique ids, and an aggregator that names them all. */
export const lists = fc
  .constantFrom<ChainType>("EVM", "SOLANA", "COREUM", "RADIX")
  .chain((chainType) =>
    fc.record({
      chainType: fc.constant(chainType),
      conditions: fc.uniqueArray(models[chainType], { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
    }),
  )
  .map((list) => ({ ...list, aggregator: list.conditions.map(({ id }) => `[${id}]`).join(" and ") }));

/** Replacement values by field; many are valid for one kind of condition and invalid for another. */
const near: Readonly<Record<string, readonly unknown[]>> = {
  id: [1, 2, 3, 0, -1, 1.5, 2 ** 53, "1"],
  chain: [
    "DEVNET",
    "devnet",
    "MainNet",
    "coreum_testnet",
    "Coreum_Mainnet",
    "RADIX_MAINNET",
    "Radix_Mainnet",
    "Polygon",
  ],
  standardContractType: [
    "",
    null,
    "ERC20",
    "erc721",
    "Erc1155",
    "custom",
    "Custom",
    "SPL-Token",
    "spl-token",
    "nft",
    20,
  ],
  contractAddress: ["", null, "0x12", 12],
  method: ["getBalance", "getBlockNumber", "getTokenAccountsByOwner", "getBlockHeight", "GETBALANCE", "balanceOf"],
  parameters: [[], [":userAddress", 7], [[["deep"]]], [Number.NaN], [undefined], [new Date(0)], [new Map()], {}, "[]"],
  inputArrayType: [[], ["uint8"], ["address", "bool[]"], ["uint7"], ["uint8", 8], "uint8"],
  outputType: ["bool", "bytes8", "bytes9", "int256[]", "uint256[2]", "", "Bool"],
  returnValueTest: [
    { comparator: "==", value: 1 },
    { comparator: ">=", value: "" },
    { comparator: "!=", value: ["a", [1]] },
    { comparator: "=", value: 1 },
    { comparator: "<", value: true },
    { comparator: "<", value: Number.POSITIVE_INFINITY },
    { comparator: ">", value: [() => 1] },
    { comparator: ">", value: 1, extra: 1 },
    { comparator: ">" },
  ],
  pdaInterface: [{}, { offset: 0 }, { offset: 1.5, selector: "" }, { offset: -1 }, { selector: 5 }, { seed: 1 }, []],
  denom: ["ucore", "", 5, null],
  classid: ["pass", "", 5, null],
  resourceAddress: ["resource", "", null],
  extra: [undefined, 1],
};

/** Values that few fields accept. */
export const invalidValues = fc.constantFrom<unknown>(undefined, {}, [], Number.NaN, "", Symbol("no"), () => 1);

/** A field of one condition of a list and its new value; removed if `drop` is set. */
export const changes = fc.constantFrom(...Object.keys(near)).chain((field) =>
  fc.record({
    position: fc.nat(),
    field: fc.constant(field),
    to: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...(near[field] ?? [])) }, invalidValues, json),
    drop: fc.boolean().map((once) => once && field !== "extra"),
  }),
);
