import { AbiCoder } from "ethers/abi";
import { isAddress } from "ethers/address";
import { id } from "ethers/hash";
import type { ChainValue } from "./compare.ts";
import type { ContractCall } from "./evm-calls.ts";
import type { Json } from "./fields.ts";

export { isAddress };

/** Encodes call data by the contract ABI; undefined if the parameters do not match the types. */
export function encodeCall({ method, inputs }: ContractCall, parameters: readonly Json[]): string | undefined {
  try {
    const values = parameters.map((value, index) => (inputs[index]?.startsWith("bool") ? toBooleans(value) : value));
    const selector = id(`${method}(${inputs.join(",")})`).slice(0, 10);
    return selector + AbiCoder.defaultAbiCoder().encode(inputs, values).slice(2);
  } catch {
    return undefined;
  }
}

/** Conditions may hold booleans as strings, and the encoder would take the non-empty string "false" for true. */
function toBooleans(value: Json): Json {
  if (Array.isArray(value)) return value.map(toBooleans);
  if (value === "true" || value === "false") return value === "true";
  return value;
}

/** Decodes a contract's return value; undefined if it does not match the type. */
export function decodeOutput({ output }: ContractCall, data: string): ChainValue | undefined {
  try {
    const [value] = AbiCoder.defaultAbiCoder().decode([output], data).toArray(true);
    return value as ChainValue;
  } catch {
    return undefined;
  }
}
