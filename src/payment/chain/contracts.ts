import { Interface } from "ethers/abi";
import { isKeeplightError } from "../../base/errors/base.ts";
import { sanitizeServerText } from "../../base/errors/nodes.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import { isLog, type Log, toHex } from "../../network/ethereum/eth-rpc.ts";
import { isRevert, type Rpc } from "../../network/ethereum/json-rpc.ts";
import type { ReceivedPayment } from "../types.ts";

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
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
]);

/** OP Stack predeploy that quotes what a transaction costs on the L1 chain. */
export const gasPriceOracle = new Interface(["function getL1Fee(bytes transaction) view returns (uint256)"]);

/** The code of a simulated call; see {@link import("./transfer-probe.ts")}. */
export const transferProbe = new Interface(["function arrives(address token, uint256 amount) returns (uint256)"]);

/** Revert errors of the payment contract and of tokens (ERC-6093), and what they mean. */
const reasons: Readonly<Record<string, string>> = {
  "ENDOWMENT_TRANSFER_FAILED()": "the payment contract could not pass the amount on to its endowment",
  "INSUFFICIENT_CONTRACT_BALANCE()": "the payment contract holds too little",
  "INSUFFICIENT_USER_BALANCE()": "the payer holds too little of the token",
  "INVALID_ZERO_ADDRESS()": "an address is zero",
  "TOKEN_APPROVAL_FAILED()": "the payment contract is not approved to take the amount",
  "TOKEN_NOT_SUPPORTED()": "the payment contract does not accept this token",
  "TOKEN_PAYMENT_FAILED()": "the token did not transfer the amount",
  "OwnableUnauthorizedAccount(address)": "only the owner of the contract may do this",
  "OwnableInvalidOwner(address)": "the contract cannot have this owner",
  "SafeERC20FailedOperation(address)": "the token did not execute the requested operation",
  "ERC20InsufficientBalance(address,uint256,uint256)": "the payer holds too little of the token",
  "ERC20InsufficientAllowance(address,uint256,uint256)": "the payment contract is not approved to take the amount",
  "ERC20InvalidReceiver(address)": "the token cannot be sent to this address",
};

/** With those of Solidity itself. */
const reverts = new Interface(
  [...Object.keys(reasons), "Error(string)", "Panic(uint256)"].map((signature) => `error ${signature}`),
);

/**
 * Calls a view of a contract. `undefined` if the contract has no such view.
 *
 * @param tag - the block to read at. Default the latest
 */
export async function callView(
  rpc: Rpc,
  contract: Interface,
  to: string,
  [name, ...args]: [name: string, ...args: unknown[]],
  tag: string = "latest",
): Promise<unknown> {
  const data = contract.encodeFunctionData(name, args);
  const result = await rpc("eth_call", [{ to, data }, tag]).catch((error: unknown) => {
    if (!isRevert(error)) throw error;
  });
  return decodeResult(contract, name, result);
}

/** Decodes the single return value of a call, or returns `undefined` if it cannot be decoded. */
export function decodeResult(contract: Interface, name: string, result: unknown): unknown {
  if (typeof result !== "string" || !/^0x[0-9a-fA-F]{64,}$/.test(result)) return undefined;
  try {
    return contract.decodeFunctionResult(name, result)[0];
  } catch {
    return undefined;
  }
}

/** A decoded event, and where it is among the logs that it was read from. */
export interface FoundEvent<Event> {
  event: Event;
  log: Log;
  position: number;
}

export interface TokenTransfer {
  from: string;
  to: string;
  amount: bigint;
}

/** Reads the payments that the contract reports in these logs, in their order. */
export function findPaymentEvents(logs: readonly Log[], contract: string): FoundEvent<ReceivedPayment>[] {
  return findEvents(logs, contract, paymentContract, "ReceivedPayment");
}

/** Reads the transfers that the token reports in these logs, in their order. */
export function findTransfers(logs: readonly Log[], token: string): FoundEvent<TokenTransfer>[] {
  return findEvents(logs, token, erc20, "Transfer");
}

/**
 * Reads every event of this name that the contract emitted, with addresses in lower case. Events of the same name and
 * types whose fields are indexed differently cannot be decoded and are skipped.
 */
function findEvents<Event>(logs: readonly Log[], contract: string, abi: Interface, name: string): FoundEvent<Event>[] {
  return logs.flatMap((log, position) => {
    if (log.address.toLowerCase() !== contract.toLowerCase()) return [];
    try {
      const parsed = abi.parseLog(log);
      if (parsed?.name !== name) return [];
      const fields = Object.entries<unknown>(parsed.args.toObject());
      const lowerCase = fields.map(([field, value]) => [
        field,
        typeof value === "string" ? value.toLowerCase() : value,
      ]);
      return [{ event: Object.fromEntries(lowerCase) as Event, log, position }];
    } catch {
      return [];
    }
  });
}

export type MinedLog = Log & { hash: string; block: number };

/** Errors of a node that may search fewer blocks. */
const TOO_MUCH: ReadonlySet<string> = new Set(["RPC_REFUSED", "RESPONSE_TOO_LARGE", "TIMEOUT", "HTTP_STATUS"]);

/** Statuses of a node that is too busy for any request. */
const TOO_BUSY: ReadonlySet<unknown> = new Set([429, 503]);

/** Whether a search for events failed in a way that one of fewer blocks may not. */
export function isTooMuch(error: unknown): boolean {
  if (!isKeeplightError(error) || !TOO_MUCH.has(error.code)) return false;
  const { method, status } = error.details;
  return method === "eth_getLogs" && !TOO_BUSY.has(status);
}

/**
 * Lists the payment contract's events of a payer (lower-case), oldest first, even if the node ignores the filter.
 *
 * @throws `INVALID_RESPONSE` for anything but a list; what {@link Rpc} throws
 */
export async function requestPaymentLogs(
  rpc: Rpc,
  contract: string,
  payer: string,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number | "latest" },
): Promise<MinedLog[]> {
  const method = "eth_getLogs";
  const topics = paymentContract.encodeFilterTopics("ReceivedPayment", [payer]);
  const range = { fromBlock: toHex(fromBlock), toBlock: toBlock === "latest" ? toBlock : toHex(toBlock) };
  const logs = await rpc(method, [{ address: contract, topics, ...range }]);
  if (!Array.isArray(logs)) throw unreadableResponse(method);
  const lastBlock = toBlock === "latest" ? Number.POSITIVE_INFINITY : toBlock;
  return logs.flatMap(toMinedLog).filter(({ block, ...log }) => {
    const [found] = findPaymentEvents([log], contract);
    return found?.event.sender === payer && block >= fromBlock && block <= lastBlock;
  });
}

function toMinedLog(value: unknown): MinedLog[] {
  const { transactionHash, blockNumber, removed } = Object(value) as Record<string, unknown>;
  if (!isLog(value) || removed === true || typeof transactionHash !== "string" || typeof blockNumber !== "string")
    return [];
  return [{ ...value, hash: transactionHash.toLowerCase(), block: Number(blockNumber) }];
}

export interface Revert {
  /** In plain English. */
  reason: string;
  /** Name of the contract's error. */
  error?: string;
}

/** Reads why a contract reverted from an error of {@link Rpc}. */
export function readRevertData(error: unknown): Revert {
  const data = isKeeplightError(error) ? error.details["data"] : undefined;
  if (typeof data !== "string") return { reason: "the contract returned no reason" };
  return decodeRevert(data) ?? { reason: `the contract reverted with the unknown error ${data.slice(0, 10)}` };
}

/** `undefined` for errors that are unknown or truncated, or whose message is not UTF-8. */
function decodeRevert(data: string): Revert | undefined {
  try {
    const parsed = reverts.parseError(data);
    if (parsed?.name === "Error") return { reason: sanitizeServerText(`"${parsed.args[0]}"`) };
    if (parsed?.name === "Panic") return { reason: `the contract panicked (code ${parsed.args[0]})`, error: "Panic" };
    return parsed ? { reason: reasons[parsed.signature] ?? parsed.name, error: parsed.name } : undefined;
  } catch {
    return undefined;
  }
}
