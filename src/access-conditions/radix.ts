import * as z from "zod/mini";
import { anyCase, commonFields, optionalText, parameterList, requiredText } from "./fields.ts";

const resource = z.strictObject({
  ...commonFields,
  /** `Radix_Mainnet`. */
  chain: anyCase(["Radix_Mainnet"]),
  /** Optional. */
  standardContractType: z.optional(
    z.pipe(
      z.transform((value: string | null) => value ?? ""),
      z.string({ error: "must be a string" }),
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
