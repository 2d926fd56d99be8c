import type { CheckedEvmCondition } from "./evm.ts";

/** How a function of a contract is called: its name and types. */
export interface ContractCall {
  method: string;
  inputs: readonly string[];
  output: string;
}

type TokenType = Exclude<CheckedEvmCondition["standardContractType"], "" | "Custom">;

/** The reads of the token standards (EIP-20, EIP-721 and EIP-1155 with their metadata extensions). */
const tokenReads: Readonly<Record<TokenType, readonly ContractCall[]>> = {
  ERC20: [
    read("balanceOf", ["address"], "uint256"),
    read("allowance", ["address", "address"], "uint256"),
    read("totalSupply", [], "uint256"),
    read("decimals", [], "uint8"),
    read("name", [], "string"),
    read("symbol", [], "string"),
  ],
  ERC721: [
    read("balanceOf", ["address"], "uint256"),
    read("ownerOf", ["uint256"], "address"),
    read("getApproved", ["uint256"], "address"),
    read("isApprovedForAll", ["address", "address"], "bool"),
    read("name", [], "string"),
    read("symbol", [], "string"),
    read("tokenURI", ["uint256"], "string"),
    read("supportsInterface", ["bytes4"], "bool"),
  ],
  ERC1155: [
    read("balanceOf", ["address", "uint256"], "uint256"),
    read("balanceOfBatch", ["address[]", "uint256[]"], "uint256[]"),
    read("isApprovedForAll", ["address", "address"], "bool"),
    read("uri", ["uint256"], "string"),
    read("supportsInterface", ["bytes4"], "bool"),
  ],
};

function read(method: string, inputs: readonly string[], output: string): ContractCall {
  return { method, inputs, output };
}

/** The call that a condition on a contract makes; undefined for a method that its standard does not have. */
export function toContractCall(
  condition: Exclude<CheckedEvmCondition, { standardContractType: "" }>,
): ContractCall | undefined {
  const { method, standardContractType: type } = condition;
  if (type === "Custom") return read(method, condition.inputArrayType, condition.outputType);
  return tokenReads[type].find((known) => known.method === method);
}
