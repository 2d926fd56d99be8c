import * as z from "zod/mini";
import { oneOf } from "../../base/validation/schema.ts";
import {
  anyCase,
  commonFields,
  conditionWith,
  contractText,
  noContractType,
  optionalContractText,
  parameterList,
  requiredText,
  solidityType,
  solidityTypeList,
  toCanonicalCase,
} from "./fields.ts";

const tokenTypes = ["ERC20", "ERC721", "ERC1155"] as const;
const TYPES = [...tokenTypes, "Custom"] as const;

/** The key nodes decide which chains exist, and their list grows: no name is refused. */
const evmFields = { ...commonFields, chain: requiredText };

const token = conditionWith({
  ...evmFields,
  standardContractType: anyCase(tokenTypes),
  contractAddress: contractText,
  method: requiredText,
  parameters: parameterList,
});

const custom = conditionWith({
  ...evmFields,
  standardContractType: anyCase(["Custom"]),
  contractAddress: contractText,
  method: requiredText,
  parameters: parameterList,
  inputArrayType: solidityTypeList,
  outputType: solidityType,
});

const native = conditionWith({
  ...evmFields,
  standardContractType: noContractType,
  contractAddress: optionalContractText,
  method: oneOf(["getBalance", "getBlockNumber"], "must be getBalance or getBlockNumber"),
  parameters: z.optional(parameterList),
});

/**
 * A condition on an EVM chain: a read of an ERC20, ERC721 or ERC1155 contract, any read of any contract (`Custom`,
 * whose `inputArrayType` and `outputType` are its types), or, with an empty `standardContractType`, the native balance
 * or the block number. (Tokens are last, because the compiler explains errors by the last member.)
 */
export type EvmCondition = z.input<typeof native> | z.input<typeof custom> | z.input<typeof token>;

/** A checked {@link EvmCondition}, in the form that is sent. */
export type CheckedEvmCondition = z.output<typeof token> | z.output<typeof custom> | z.output<typeof native>;

/** Returns the schema for a condition's `standardContractType`; undefined if there is no such type. */
export function getEvmSchema(type: unknown): z.ZodMiniType<CheckedEvmCondition> | undefined {
  if (type === null || type === "") return native;
  const known = TYPES.find((name) => name === toCanonicalCase(TYPES, type));
  if (known === undefined) return undefined;
  return known === "Custom" ? custom : token;
}

/** Describes the types that {@link getEvmSchema} accepts. */
export const expectedEvmType = "must be ERC20, ERC721, ERC1155, Custom or empty";
