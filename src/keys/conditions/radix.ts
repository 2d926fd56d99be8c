import * as v from "valibot";
import { optional } from "../../base/validation/schema.ts";
import { anyCase, commonFields, conditionWith, optionalText, parameterList, requiredText } from "./fields.ts";

const resource = conditionWith({
  ...commonFields,
  /** `Radix_Mainnet`. */
  chain: anyCase(["Radix_Mainnet"]),
  /** Optional. */
  standardContractType: optional(
    v.pipe(
      v.nullable(v.string("must be a string")),
      v.transform((value) => value ?? ""),
    ),
  ),
  /** The resource to read. */
  resourceAddress: requiredText,
  /** Such as `getFtsByAddress`. */
  method: requiredText,
  /** Optional. */
  contractAddress: optionalText,
  /** Arguments of the method; `:userAddress` stands for the requester's address. */
  parameters: optional(parameterList),
});

/** A condition on Radix: a read of a resource, such as `getFtsByAddress`. */
export interface RadixCondition extends v.InferInput<typeof resource> {}

/** A checked {@link RadixCondition}, in the form that is sent. */
export type CheckedRadixCondition = v.InferOutput<typeof resource>;

/** Returns the schema for every condition on Radix. */
export function getRadixSchema(): v.GenericSchema<unknown, CheckedRadixCondition> {
  return resource;
}
