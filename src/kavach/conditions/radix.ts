import * as z from "zod/mini";
import { anyCase, commonFields, optionalText, parameterList, requiredText } from "./fields.ts";

const resource = z.strictObject({
  ...commonFields,
  chain: anyCase(["Radix_Mainnet"]),
  standardContractType: z.optional(
    z.pipe(
      z.transform((value: string | null) => value ?? ""),
      z.string({ error: "must be a text" }),
    ),
  ),
  resourceAddress: requiredText,
  method: requiredText,
  contractAddress: optionalText,
  parameters: z.optional(parameterList),
});

/** A condition on Radix: something about a resource, such as `getFtsByAddress`. */
export type RadixCondition = z.input<typeof resource>;

/** A {@link RadixCondition} that has been checked, in the spelling that is sent. */
export type CheckedRadixCondition = z.output<typeof resource>;

/** The schema for every condition on Radix. */
export function radixSchema(): z.ZodMiniType<CheckedRadixCondition> {
  return resource;
}
