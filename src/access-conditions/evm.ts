import * as z from "zod/mini";
import {
  anyCase,
  commonFields,
  noContractType,
  optionalText,
  parameterList,
  requiredText,
  solidityType,
  solidityTypeList,
  spelling,
} from "./fields.ts";

const tokenTypes = ["ERC20", "ERC721", "ERC1155"] as const;
const TYPES = [...tokenTypes, "Custom"] as const;

/** Which chains there are is up to the key nodes: the list grows, so no name is refused. */
const evmFields = { ...commonFields, chain: requiredText };

const token = z.strictObject({
  ...evmFields,
  standardContractType: anyCase(tokenTypes),
  contractAddress: requiredText,
  method: requiredText,
  parameters: parameterList,
});

const custom = z.strictObject({
  ...evmFields,
  standardContractType: anyCase(["Custom"]),
  contractAddress: requiredText,
  method: requiredText,
  parameters: parameterList,
  inputArrayType: solidityTypeList,
  outputType: solidityType,
});

const native = z.strictObject({
  ...evmFields,
  standardContractType: noContractType,
  contractAddress: optionalText,
  method: z.enum(["getBalance", "getBlockNumber"], { error: "must be getBalance or getBlockNumber" }),
  parameters: z.optional(parameterList),
});

/**
 * A condition on an EVM chain: a read of an ERC20, ERC721 or ERC1155 contract, any read of any contract
 * (`Custom`, whose `inputArrayType` and `outputType` say how to call it), or, with an empty
 * `standardContractType`, the native balance or the block number. (Tokens come last: they are what the compiler explains
 * to those whose list fits none.)
 */
export type EvmCondition = z.input<typeof native> | z.input<typeof custom> | z.input<typeof token>;

/** An {@link EvmCondition} that has been checked, in the spelling that is sent. */
export type CheckedEvmCondition = z.output<typeof token> | z.output<typeof custom> | z.output<typeof native>;

/** The schema for a condition's `standardContractType`; undefined if there is no such type. */
export function evmSchema(type: unknown): z.ZodMiniType<CheckedEvmCondition> | undefined {
  if (type === null || type === "") return native;
  const known = TYPES.find((name) => name === spelling(TYPES, type));
  if (known === undefined) return undefined;
  return known === "Custom" ? custom : token;
}

/** What {@link evmSchema} takes, in words. */
export const evmTypes = "must be ERC20, ERC721, ERC1155, Custom or empty";
