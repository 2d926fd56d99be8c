import * as z from "zod/mini";
import { anyCase, commonFields, optionalText, parameterList, requiredText } from "./fields.ts";

const resource = z.strictObject({
  ...commonFields,
  /** `Radix_Mainnet`. */
  chain: anyCase(["Radix_Mainnet"]),
  /** May be left out. */
  standardContractType: z.optional(
    z.pipe(
      z.transform((value: string | null) => value ?? ""),
      z.string({ error: "must be a text" }),
    ),
  ),
  /** What the method asks about. */
  resourceAddress: requiredText,
  /** Such as `getFtsByAddress`. */
  method: requiredText,
  /** May be left out. */
  contractAddress: optionalText,
  /** Arguments of the method; `:userAddress` stands for the address that asks. */
  parameters: z.optional(parameterList),
});

/** A condition on Radix: something about a resource, such as `getFtsByAddress`. */
export interface RadixCondition extends z.input<typeof resource> {}

/** A {@link RadixCondition} that has been checked, in the spelling that is sent. */
export type CheckedRadixCondition = z.output<typeof resource>;

/** The schema for every condition on Radix. */
export function radixSchema(): z.ZodMiniType<CheckedRadixCondition> {
  return resource;
}
