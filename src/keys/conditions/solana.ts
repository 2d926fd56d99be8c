import type * as v from "valibot";
import { numberThat, oneOf, optional } from "../../base/validation/schema.ts";
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
  parameters: optional(parameterList),
  pdaInterface: conditionWith(
    {
      offset: optional(numberThat((offset) => offset >= 0 && isExact(offset), OFFSET)),
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
export type SolanaCondition = v.InferInput<typeof token> | v.InferInput<typeof native>;

/** A checked {@link SolanaCondition}, in the form that is sent. */
export type CheckedSolanaCondition = v.InferOutput<typeof token> | v.InferOutput<typeof native>;

/** Returns the schema for a condition's `standardContractType`; undefined if there is no such type. */
export function getSolanaSchema(type: unknown): v.GenericSchema<unknown, CheckedSolanaCondition> | undefined {
  if (type === "" || type === null) return native;
  return toCanonicalCase(["spl-token"], type) === "spl-token" ? token : undefined;
}

/** Describes the types that {@link getSolanaSchema} accepts. */
export const expectedSolanaType = "must be spl-token or empty";
