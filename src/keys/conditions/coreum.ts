import * as z from "zod/mini";
import {
  anyCase,
  commonFields,
  conditionWith,
  noContractType,
  optionalText,
  parameterList,
  requiredText,
} from "./fields.ts";

const coreumFields = {
  ...commonFields,
  chain: anyCase(["Coreum_Devnet", "Coreum_Testnet", "Coreum_Mainnet"]),
  method: requiredText,
  denom: optionalText,
  classid: optionalText,
};

const contract = conditionWith({
  ...coreumFields,
  standardContractType: requiredText,
  contractAddress: requiredText,
  parameters: parameterList,
});

const native = conditionWith({
  ...coreumFields,
  standardContractType: z.optional(noContractType),
  contractAddress: optionalText,
  parameters: z.optional(parameterList),
});

/** A condition on Coreum: on a contract of some type, or, without a type, on the chain itself. */
export type CoreumCondition = z.input<typeof contract> | z.input<typeof native>;

/** A checked {@link CoreumCondition}, in the form that is sent. */
export type CheckedCoreumCondition = z.output<typeof contract> | z.output<typeof native>;

/** Returns the schema for a condition's `standardContractType`, which may be any string. */
export function getCoreumSchema(type: unknown): z.ZodMiniType<CheckedCoreumCondition> {
  return type === undefined || type === null || type === "" ? native : contract;
}
