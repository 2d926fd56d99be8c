import * as z from "zod/mini";
import { anyCase, commonFields, conditionWith, optionalText, parameterList, requiredText } from "./fields.ts";

const resource = conditionWith({
  ...commonFields,
  /** `Radix_Mainnet`. */
  chain: anyCase(["Radix_Mainnet"]),
  /** Optional. */
  standardContractType: z.optional(
    z.pipe(
      z.nullable(z.string("must be a string")),
      z.transform((value) => value ?? ""),
    ),
  ),
  /** The resource to read. */
  resourceAddress: requiredText,
  /** Such as `getFtsByAddress`. */
  method: requiredText,
  /** Optional. */
  contractAddress: optionalText,
  /** Arguments of the method; `:userAddress` stands for the requester's address. */
  parameters: z.optional(parameterList),
});

/** A condition on Radix: a read of a resource, such as `getFtsByAddress`. */
export interface RadixCondition extends z.input<typeof resource> {}

/** A checked {@link RadixCondition}, in the form that is sent. */
export type CheckedRadixCondition = z.output<typeof resource>;

/** Returns the schema for every condition on Radix. */
export function getRadixSchema(): z.ZodMiniType<CheckedRadixCondition> {
  return resource;
}
