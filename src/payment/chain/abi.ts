import { Interface } from "ethers/abi";

/** The payment contract, as far as a payer uses it. */
export const paymentContract = new Interface([
  "function receiveToken(uint256 amount, address token)",
  "function getTokenStatus(address token) view returns (bool)",
  "function getNativeBalance() view returns (uint256)",
  "event ReceivedPayment(address indexed sender, address indexed tokenAddress, uint256 txId, uint256 amount, uint256 timestamp, bytes data)",
]);

/** A token (ERC-20). The return value of `approve` is ignored, because some tokens return none. */
export const erc20 = new Interface([
  "function approve(address spender, uint256 amount)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/** OP Stack predeploy that quotes what a transaction costs on the L1 chain. */
export const gasPriceOracle = new Interface(["function getL1Fee(bytes transaction) view returns (uint256)"]);

/** The code of a simulated call; see {@link import("./transfer-probe.ts")}. */
export const transferProbe = new Interface(["function arrives(address token, uint256 amount) returns (uint256)"]);

/** Revert errors of the payment contract, of tokens (ERC-6093) and of Solidity itself. */
export const reverts = new Interface([
  "error ENDOWMENT_TRANSFER_FAILED()",
  "error INSUFFICIENT_CONTRACT_BALANCE()",
  "error INSUFFICIENT_USER_BALANCE()",
  "error INVALID_ZERO_ADDRESS()",
  "error TOKEN_APPROVAL_FAILED()",
  "error TOKEN_NOT_SUPPORTED()",
  "error TOKEN_PAYMENT_FAILED()",
  "error OwnableUnauthorizedAccount(address account)",
  "error OwnableInvalidOwner(address owner)",
  "error SafeERC20FailedOperation(address token)",
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "error ERC20InvalidReceiver(address receiver)",
  "error Error(string message)",
  "error Panic(uint256 code)",
]);
