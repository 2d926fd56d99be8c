import * as z from "zod/mini";
import { anyCase, commonFields, noContractType, optionalText, parameterList, requiredText } from "./fields.ts";

const coreumFields = {
  ...commonFields,
  chain: anyCase(["Coreum_Devnet", "Coreum_Testnet", "Coreum_Mainnet"]),
  method: requiredText,
  denom: optionalText,
  classid: optionalText,
};

const contract = z.strictObject({
  ...coreumFields,
  standardContractType: requiredText,
  contractAddress: requiredText,
  parameters: parameterList,
});

const native = z.strictObject({
  ...coreumFields,
  standardContractType: z.optional(noContractType),
  contractAddress: optionalText,
  parameters: z.optional(parameterList),
});

/** A condition on Coreum: a contract of some type, or without a type the chain itself. */
export type CoreumCondition = z.input<typeof contract> | z.input<typeof native>;

/** A {@link CoreumCondition} that has been checked, in the spelling that is sent. */
export type CheckedCoreumCondition = z.output<typeof contract> | z.output<typeof native>;

/** The schema for a condition's `standardContractType`, which may be any text. */
export function coreumSchema(type: unknown): z.ZodMiniType<CheckedCoreumCondition> {
  return type === undefined || type === null || type === "" ? native : contract;
}
