import * as z from "zod/mini";
import { toDotPath } from "zod/v4/core";
import { type Fields, Refusal } from "../http/json.ts";
import {
  CHAIN_TYPES,
  type ChainType,
  COMPARATORS,
  type Condition,
  DECRYPTION_TYPES,
  type FileAccess,
  parseRule,
  type Rule,
} from "./condition.ts";

const MAX_CONDITIONS = 50;
const LIST = `must be a list of 1 to ${MAX_CONDITIONS}`;

const accessSchema = z.object({
  chainType: optionalOneOf(CHAIN_TYPES),
  decryptionType: optionalOneOf(DECRYPTION_TYPES),
  aggregator: withDefault("", z.string("must be a string")),
  conditions: z
    .array(z.record(z.string(), z.unknown(), "must be an object"), LIST)
    .check(z.minLength(1, LIST), z.maxLength(MAX_CONDITIONS, LIST)),
});

/**
 * Reads the conditions that a caller sets for a file.
 *
 * @param defaultType the decryption type of a request that names none.
 * @throws Refusal 400 that names the wrong field.
 */
export function readAccess(fields: Fields, defaultType: FileAccess["decryptionType"]): FileAccess {
  const { chainType, decryptionType, ...rest } = parse(accessSchema, fields);
  const access = { chainType: chainType || "EVM", decryptionType: decryptionType || defaultType, ...rest } as const;
  parseAccess(access);
  return access;
}

/**
 * Parses the conditions of a file and the rule that combines them, ready for evaluation.
 *
 * @throws Refusal 400 that names the wrong field.
 */
export function parseAccess(access: FileAccess): { conditions: readonly Condition[]; rule: Rule } {
  const conditions = access.conditions.map((fields, index) => readCondition(fields, access.chainType, index));
  const ids = new Set(conditions.map(({ id }) => id));
  if (ids.size < conditions.length) throw new Refusal(400, "conditions must have ids that differ");
  const only = conditions.length === 1 ? conditions[0] : undefined;
  if (access.aggregator.trim() !== "") return { conditions, rule: parseRule(access.aggregator, ids) };
  if (!only) throw new Refusal(400, "aggregator is required with more than one condition");
  return { conditions, rule: (holds) => holds(only.id) };
}

function readCondition(fields: Fields, chainType: ChainType, index: number): Condition {
  const schema = chainSchemas[chainType](toLower(fields["standardContractType"]));
  return parse(schema, fields, ["conditions", index]);
}

/** Refuses with the first problem, after the path of the field that has it. */
function parse<T>(schema: z.ZodMiniType<T>, value: unknown, path: readonly PropertyKey[] = []): T {
  const { data, error } = z.safeParse(schema, value);
  const [issue] = error?.issues ?? [];
  if (issue) throw new Refusal(400, `${toDotPath([...path, ...issue.path])} ${issue.message}`);
  return data as T;
}

function withDefault<Schema extends z.ZodMiniType>(fallback: unknown, schema: Schema) {
  const fill = (value: unknown) => value ?? fallback;
  return z.pipe(z.transform(fill), schema);
}

/** One of `values` in any case; empty if it is missing. */
function optionalOneOf<const Value extends string>(values: readonly Value[]) {
  const toUpper = (value: unknown) => (typeof value === "string" ? value.toUpperCase() : (value ?? ""));
  return z.pipe(z.transform(toUpper), z.enum([...values, ""], `must be one of ${values.join(", ")}`));
}

const bytes = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32].map((size) => `bytes${size}`);
const bits = [8, 16, 24, 32, 40, 48, 64, 128, 192, 256];
const single = ["address", "bool", ...bytes, ...bits.flatMap((size) => [`uint${size}`, `int${size}`])];

/** The types that the inputs and the output of a `Custom` condition may have: these and arrays of them. */
const solidityTypes: ReadonlySet<unknown> = new Set([...single, ...single.map((type) => `${type}[]`)]);

const requiredString = z.string(orMissing("must be a string")).check(z.minLength(1, "is required"));
const optionalString = withDefault("", z.string("must be a string"));
const toLower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : (value ?? ""));
const contractType = z.pipe(z.transform(toLower), z.string("must be a string"));
const requiredList = z.array(z.unknown(), orMissing("must be a list"));
const optionalList = withDefault(undefined, z.optional(z.array(z.unknown(), "must be a list")));

const ID = "must be a number from 1 on";
const OFFSET = "must be a number from 0 on";
const TYPES = "must name Solidity types that conditions may use";

const baseFields = {
  standardContractType: contractType,
  id: z.number(ID).check(z.gte(1, ID)),
  chain: requiredString,
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

const contractFields = { contractAddress: requiredString, parameters: requiredList };

const evmFields = { ...baseFields, standardContractType: oneOfAnyCase("erc20", "erc721", "erc1155", "custom", "") };
const evmToken = z.object({ ...evmFields, ...contractFields });
const areTypes = (types: unknown) => Array.isArray(types) && types.every((type) => solidityTypes.has(type));
const evmCustom = z.object({
  ...evmFields,
  ...contractFields,
  inputArrayType: z.custom<readonly string[]>(areTypes, TYPES),
  outputType: z.custom<string>((type) => solidityTypes.has(type), TYPES),
});
const evmNative = z.object({ ...evmFields, method: oneOf("getBalance", "getBlockNumber") });

const solanaFields = {
  ...baseFields,
  standardContractType: oneOfAnyCase("spl-token", ""),
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
const solanaTokenMethod = oneOf("getTokenAccountsByOwner");
const solanaToken = z.object({ ...solanaFields, contractAddress: requiredString, method: solanaTokenMethod });
const solanaNativeMethod = oneOf("getBalance", "getLastBlockTime", "getBlockHeight");
const solanaNative = z.object({ ...solanaFields, method: solanaNativeMethod });

const coreumChain = oneOfAnyCase("coreum_devnet", "coreum_testnet", "coreum_mainnet");
const coreumContract = z.object({ ...baseFields, ...contractFields, chain: coreumChain });
const coreumNative = z.object({ ...baseFields, chain: coreumChain });

const radixChain = oneOfAnyCase("radix_mainnet");
const radixResource = z.object({ ...baseFields, chain: radixChain, resourceAddress: requiredString });

/** The schemas of each chain type's conditions, by their lower-case `standardContractType`. */
const chainSchemas: Readonly<Record<ChainType, (type: unknown) => z.ZodMiniType<Condition>>> = {
  EVM: (type) => (type === "" ? evmNative : type === "custom" ? evmCustom : evmToken),
  SOLANA: (type) => (type === "" ? solanaNative : solanaToken),
  COREUM: (type) => (type === "" ? coreumNative : coreumContract),
  RADIX: () => radixResource,
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
