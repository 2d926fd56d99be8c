import { AbiCoder } from "ethers/abi";
import { isAddress } from "ethers/address";
import { id } from "ethers/hash";
import type { Json } from "keeplight";
import type { ChainValue } from "./compare.ts";
import type { CheckedEvmCondition } from "./explain.ts";

export { isAddress };

/** The signature of a contract function. */
interface ContractCall {
  method: string;
  inputs: readonly string[];
  output: string;
}

type TokenType = Exclude<CheckedEvmCondition["standardContractType"], "" | "Custom">;

const naming = [toCall("name", [], "string"), toCall("symbol", [], "string")];

/** The reads of the token standards (EIP-20, EIP-721 and EIP-1155 with their metadata extensions). */
const tokenReads: Readonly<Record<TokenType, readonly ContractCall[]>> = {
  ERC20: [
    toCall("balanceOf", ["address"], "uint256"),
    toCall("allowance", ["address", "address"], "uint256"),
    toCall("totalSupply", [], "uint256"),
    toCall("decimals", [], "uint8"),
    ...naming,
  ],
  ERC721: [
    toCall("balanceOf", ["address"], "uint256"),
    toCall("ownerOf", ["uint256"], "address"),
    toCall("getApproved", ["uint256"], "address"),
    toCall("isApprovedForAll", ["address", "address"], "bool"),
    ...naming,
    toCall("tokenURI", ["uint256"], "string"),
    toCall("supportsInterface", ["bytes4"], "bool"),
  ],
  ERC1155: [
    toCall("balanceOf", ["address", "uint256"], "uint256"),
    toCall("balanceOfBatch", ["address[]", "uint256[]"], "uint256[]"),
    toCall("isApprovedForAll", ["address", "address"], "bool"),
    toCall("uri", ["uint256"], "string"),
    toCall("supportsInterface", ["bytes4"], "bool"),
  ],
};

function toCall(method: string, inputs: readonly string[], output: string): ContractCall {
  return { method, inputs, output };
}

/** Builds the call of a condition on a contract; undefined for a method that its standard does not have. */
export function toContractCall(
  condition: Exclude<CheckedEvmCondition, { standardContractType: "" }>,
): ContractCall | undefined {
  const { method, standardContractType: type } = condition;
  if (type === "Custom") return toCall(method, condition.inputArrayType, condition.outputType);
  return tokenReads[type].find((known) => known.method === method);
}

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
