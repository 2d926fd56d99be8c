import * as z from "zod/mini";
import { numberThat, oneOf } from "../../base/validation/schema.ts";
import {
  anyCase,
  commonFields,
  conditionWith,
  isExact,
  noContractType,
  optionalText,
  parameterList,
  requiredText,
  toCanonicalCase,
} from "./fields.ts";

const OFFSET = "must be a number from 0 on";

const solanaFields = {
  ...commonFields,
  chain: anyCase(["DEVNET", "TESTNET", "MAINNET"]),
  parameters: z.optional(parameterList),
  pdaInterface: conditionWith(
    {
      offset: z.optional(numberThat((offset) => offset >= 0 && isExact(offset), OFFSET)),
      selector: optionalText,
    },
    "must be an object { offset, selector }, both optional",
  ),
};

const token = conditionWith({
  ...solanaFields,
  standardContractType: anyCase(["spl-token"]),
  contractAddress: requiredText,
  method: oneOf(["getTokenAccountsByOwner"], "must be getTokenAccountsByOwner"),
});

const native = conditionWith({
  ...solanaFields,
  standardContractType: noContractType,
  contractAddress: optionalText,
  method: oneOf(
    ["getBalance", "getLastBlockTime", "getBlockHeight"],
    "must be getBalance, getLastBlockTime or getBlockHeight",
  ),
});

/** A condition on Solana: on an SPL token, or, with an empty `standardContractType`, on the chain itself. */
export type SolanaCondition = z.input<typeof token> | z.input<typeof native>;

/** A checked {@link SolanaCondition}, in the form that is sent. */
export type CheckedSolanaCondition = z.output<typeof token> | z.output<typeof native>;

/** Returns the schema for a condition's `standardContractType`; undefined if there is no such type. */
export function getSolanaSchema(type: unknown): z.ZodMiniType<CheckedSolanaCondition> | undefined {
  if (type === "" || type === null) return native;
  return toCanonicalCase(["spl-token"], type) === "spl-token" ? token : undefined;
}

/** Describes the types that {@link getSolanaSchema} accepts. */
export const expectedSolanaType = "must be spl-token or empty";
