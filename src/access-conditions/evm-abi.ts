import { AbiCoder } from "ethers/abi";
import { isAddress } from "ethers/address";
import { id } from "ethers/hash";
import type { ChainValue } from "./compare.ts";
import type { ContractCall } from "./evm-calls.ts";
import type { Json } from "./fields.ts";

export { isAddress };

/** Call data by the contract ABI; undefined if the parameters do not fit. */
export function encode({ method, inputs }: ContractCall, parameters: readonly Json[]): string | undefined {
  try {
    const values = parameters.map((value, index) => (inputs[index]?.startsWith("bool") ? truths(value) : value));
    const selector = id(`${method}(${inputs.join(",")})`).slice(0, 10);
    return selector + AbiCoder.defaultAbiCoder().encode(inputs, values).slice(2);
  } catch {
    return undefined;
  }
}

/** Conditions have texts where a contract wants truth values, and the text "false" would count as true. */
function truths(value: Json): Json {
  if (Array.isArray(value)) return value.map(truths);
  if (value === "true" || value === "false") return value === "true";
  return value;
}

/** What a contract answered; undefined if that is no such value. */
export function decode({ output }: ContractCall, data: string): ChainValue | undefined {
  try {
    const [value] = AbiCoder.defaultAbiCoder().decode([output], data).toArray(true);
    return value as ChainValue;
  } catch {
    return undefined;
  }
}
