import type { CheckedEvmCondition } from "./chains.ts";

/** The signature of a contract function. */
export interface ContractCall {
  method: string;
  inputs: readonly string[];
  output: string;
}

type TokenType = Exclude<CheckedEvmCondition["standardContractType"], "" | "Custom">;

/** The reads of the token standards (EIP-20, EIP-721 and EIP-1155 with their metadata extensions). */
const tokenReads: Readonly<Record<TokenType, readonly ContractCall[]>> = {
  ERC20: [
    toCall("balanceOf", ["address"], "uint256"),
    toCall("allowance", ["address", "address"], "uint256"),
    toCall("totalSupply", [], "uint256"),
    toCall("decimals", [], "uint8"),
    toCall("name", [], "string"),
    toCall("symbol", [], "string"),
  ],
  ERC721: [
    toCall("balanceOf", ["address"], "uint256"),
    toCall("ownerOf", ["uint256"], "address"),
    toCall("getApproved", ["uint256"], "address"),
    toCall("isApprovedForAll", ["address", "address"], "bool"),
    toCall("name", [], "string"),
    toCall("symbol", [], "string"),
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
