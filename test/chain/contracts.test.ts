import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createArtifacts } from "../../scripts/contracts.mjs";

const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the artifacts are what the compiler produces from the contracts", () => {
  const made = createArtifacts();
  expect(Object.keys(made)).toHaveLength(12);
  for (const [path, text] of Object.entries(made)) expect(committed(path), path).toBe(text);
});

test("the payment contract has the calls, the event and the errors of the network's", () => {
  const { abi } = JSON.parse(committed("packages/devnet/src/chain/artifacts/payment-contract.json")) as {
    abi: string[];
  };
  expect(abi.filter((line) => !line.startsWith("constructor"))).toMatchInlineSnapshot(`
    [
      "error ENDOWMENT_TRANSFER_FAILED()",
      "error INSUFFICIENT_CONTRACT_BALANCE()",
      "error INSUFFICIENT_USER_BALANCE()",
      "error INVALID_ZERO_ADDRESS()",
      "error OwnableInvalidOwner(address owner)",
      "error OwnableUnauthorizedAccount(address account)",
      "error TOKEN_APPROVAL_FAILED()",
      "error TOKEN_NOT_SUPPORTED()",
      "error TOKEN_PAYMENT_FAILED()",
      "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
      "event ReceivedPayment(address indexed sender, address indexed tokenAddress, uint256 txId, uint256 amount, uint256 timestamp, bytes data)",
      "fallback() payable",
      "function endowment() view returns (address)",
      "function getERC20Balance(address token) view returns (uint256)",
      "function getNativeBalance() view returns (uint256)",
      "function getTokenStatus(address token) view returns (bool)",
      "function owner() view returns (address)",
      "function receiveToken(uint256 amount, address token)",
      "function renounceOwnership()",
      "function setEndowment(address newEndowment)",
      "function tokenStatus(address token) view returns (bool supported)",
      "function transferOwnership(address newOwner)",
      "function transferToEndowment(address token, uint256 amount)",
      "function updateERC20Token(address token, bool supported)",
      "receive() payable",
    ]
  `);
});
