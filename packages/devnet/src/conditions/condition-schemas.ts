import * as z from "zod/mini";
import { type ChainType, COMPARATORS, type Condition } from "./condition.ts";
import { solidityTypes } from "./solidity-types.ts";

type ConditionSchema = z.ZodMiniType<Condition>;

const requiredString = z.string(orMissing("must be a string")).check(z.minLength(1, "is required"));
const optionalString = z.pipe(
  z.transform((value) => value ?? ""),
  z.string("must be a string"),
);
const contractType = z.pipe(
  z.transform((value) => (typeof value === "string" ? value.toLowerCase() : (value ?? ""))),
  z.string("must be a string"),
);
const requiredList = z.array(z.unknown(), orMissing("must be a list"));
const optionalList = z.pipe(
  z.transform((value) => value ?? undefined),
  z.optional(z.array(z.unknown(), "must be a list")),
);

const ID = "must be a number from 1 on";
const OFFSET = "must be a number from 0 on";
const TYPES = "must name Solidity types that conditions may use";

const baseFields = {
  id: z.number(ID).check(z.gte(1, ID)),
  chain: requiredString,
  standardContractType: contractType,
  contractAddress: optionalString,
  method: requiredString,
  parameters: optionalList,
  returnValueTest: z.object(
    {
      comparator: z.enum(COMPARATORS, `must be one of ${COMPARATORS.join(" ")}`),
      value: z.union([z.number(), z.string(), z.array(z.unknown())], "must be a number, a string or a list"),
    },
    "must be an object",
  ),
};

const contractFields = { ...baseFields, contractAddress: requiredString, parameters: requiredList };

const evmToken = z.object(contractFields);
const evmCustom = z.object({
  ...contractFields,
  inputArrayType: z.custom<readonly string[]>(
    (types) => Array.isArray(types) && types.every((type) => solidityTypes.has(type)),
    TYPES,
  ),
  outputType: z.custom<string>((type) => solidityTypes.has(type), TYPES),
});
const evmNative = z.object({ ...baseFields, method: oneOf("getBalance", "getBlockNumber") });

const solanaFields = {
  ...baseFields,
  chain: oneOfAnyCase("devnet", "testnet", "mainnet"),
  pdaInterface: z.object(
    {
      offset: z.pipe(
        z.transform((value) => Number(value ?? 0)),
        z.number(OFFSET).check(z.gte(0, OFFSET)),
      ),
    },
    "must be an object",
  ),
};
const solanaToken = z.object({
  ...solanaFields,
  contractAddress: requiredString,
  method: oneOf("getTokenAccountsByOwner"),
});
const solanaNative = z.object({
  ...solanaFields,
  method: oneOf("getBalance", "getLastBlockTime", "getBlockHeight"),
});

const coreumChain = oneOfAnyCase("coreum_devnet", "coreum_testnet", "coreum_mainnet");
const coreumContract = z.object({ ...contractFields, chain: coreumChain });
const coreumNative = z.object({ ...baseFields, chain: coreumChain });

const radixResource = z.object({
  ...baseFields,
  chain: oneOfAnyCase("radix_mainnet"),
  resourceAddress: requiredString,
});

const evmSchemas: Readonly<Record<string, ConditionSchema>> = { "": evmNative, custom: evmCustom };

interface ChainSchemas {
  /** Schema of `standardContractType` alone. */
  type: z.ZodMiniType<string>;
  /** Schema of a condition with that type. */
  condition: (type: string) => ConditionSchema;
}

/** The schemas of each chain type's conditions. */
export const chainSchemas: Readonly<Record<ChainType, ChainSchemas>> = {
  EVM: {
    type: oneOfAnyCase("erc20", "erc721", "erc1155", "custom", ""),
    condition: (type) => evmSchemas[type] ?? evmToken,
  },
  SOLANA: {
    type: oneOfAnyCase("spl-token", ""),
    condition: (type) => (type === "" ? solanaNative : solanaToken),
  },
  COREUM: { type: contractType, condition: (type) => (type === "" ? coreumNative : coreumContract) },
  RADIX: { type: contractType, condition: () => radixResource },
};

function oneOf<const Value extends string>(...values: readonly Value[]) {
  return z.enum(values, orMissing(`must be one of ${values.map((value) => `"${value}"`).join(", ")}`));
}

function oneOfAnyCase<const Value extends string>(...values: readonly Value[]) {
  return z.pipe(contractType, oneOf(...values));
}

function orMissing(expected: string) {
  const isMissing = (input: unknown) => input === undefined || input === null;
  return { error: ({ input }: { input?: unknown }) => (isMissing(input) ? "is required" : expected) };
}
