import { Interface } from "ethers/abi";
import { allInOrder } from "../../base/async/queue.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { sanitizeServerText } from "../../base/errors/nodes.ts";
import { paymentReverted } from "../../base/errors/payment.ts";
import { callView, type FoundEvent, findEvents } from "../../network/ethereum/contracts.ts";
import { ignoreFailure, type Log, readBlockHeader } from "../../network/ethereum/eth-rpc.ts";
import { isRevert, type Rpc } from "../../network/ethereum/json-rpc.ts";
import { type MinedLog, requestLogs } from "../../network/ethereum/log-search.ts";
import type { Order, PaymentStep, ReceivedPayment } from "../types.ts";

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

/** It knows those of Solidity itself, too. */
const reverts = new Interface(Object.keys(reasons).map((signature) => `error ${signature}`));

export interface TokenTransfer {
  from: string;
  to: string;
  amount: bigint;
}

/** Reads the payments that the contract reports in these logs, in their order. */
export function findPaymentEvents<Source extends Log>(
  logs: readonly Source[],
  contract: string,
): FoundEvent<ReceivedPayment, Source>[] {
  return findEvents(logs, contract, paymentContract, "ReceivedPayment");
}

/** Reads the transfers that the token reports in these logs, in their order. */
export function findTransfers(logs: readonly Log[], token: string): FoundEvent<TokenTransfer, Log>[] {
  return findEvents(logs, token, erc20, "Transfer");
}

/** Lists the payment contract's events of a payer (lower-case), oldest first, even if the node ignores the filter. */
export async function requestPaymentLogs(
  rpc: Rpc,
  contract: string,
  payer: string,
  range: Parameters<typeof requestLogs>[2],
): Promise<MinedLog[]> {
  const topics = paymentContract.encodeFilterTopics("ReceivedPayment", [payer]);
  const logs = await requestLogs(rpc, { address: contract, topics }, range);
  return logs.filter((log) => findPaymentEvents([log], contract)[0]?.event.sender === payer);
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

/** Translates the error of a call that a contract reverted; any other is returned unchanged. */
export function explainRevert(step: PaymentStep, error: unknown): unknown {
  return isRevert(error) ? paymentReverted({ step }, readRevertData(error)) : error;
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

/** A Chainlink price feed. Its five return values are encoded as one tuple of them is. */
const priceFeed = new Interface([
  "function latestRoundData() view returns (tuple(uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound))",
  "function decimals() view returns (uint8)",
]);

/** Feeds are updated at least once a day. */
const MAX_AGE_SECONDS = 25 * 3_600;

/** How much the ticker may differ from the feed, as a fraction of the feed's price. */
const MAX_DIFFERENCE = 0.1;

/**
 * Compares the ticker that the order's amount was computed from with the chain's price feed, if that was not done yet. A
 * feed that cannot be used stops no payment.
 *
 * @returns what it was compared with; `undefined` for an amount that was not computed from a ticker
 * @throws `TICKER_FAILED` if they differ
 */
export async function checkPrice({ order, rpc }: { order: Order; rpc: Rpc }): Promise<Order["priceCheck"]> {
  const { network, usdPerCoin, priceCheck } = order;
  if (usdPerCoin === undefined || priceCheck !== undefined) return priceCheck;
  const feed = network.priceFeed && (await readPrice(rpc, network.priceFeed).catch(ignoreFailure));
  if (!feed) return "none";
  if (Math.abs(usdPerCoin - feed) > feed * MAX_DIFFERENCE)
    throw implausibleTicker(network.symbol, usdPerCoin, { feed });
  return "feed";
}

/** Reads what one coin costs in US dollars; `undefined` if the feed is stale, or no feed. */
async function readPrice(rpc: Rpc, feed: string): Promise<number | undefined> {
  const [round, decimals, block] = await allInOrder([
    callView(rpc, priceFeed, feed, ["latestRoundData"]),
    callView(rpc, priceFeed, feed, ["decimals"]),
    readBlockHeader(rpc, "latest"),
  ]);
  const { answer, updatedAt } = Object(round) as { answer?: bigint; updatedAt?: bigint };
  const age = Number(block?.timestamp) - Number(updatedAt);
  const price = Number(answer) / 10 ** Number(decimals);
  // Not a number if anything is missing. A node that lags behind may be older than the answer; feeds have 8 or 18 decimals.
  const isUsable = Math.abs(age) <= MAX_AGE_SECONDS && price > 0 && Number(decimals) <= 18;
  return isUsable ? price : undefined;
}

/** The price service's price differs from that of the feed on the chain, or is too high. All in US dollars. */
export function implausibleTicker(symbol: string, ticker: number, bound: { feed: number } | { high: number }) {
  const problem =
    "feed" in bound ? `the price feed on the chain reports ${bound.feed}` : `at most ${bound.high} is plausible`;
  const message = `Failed to get ticker price: ${ticker} US dollars for one ${symbol}, but ${problem}`;
  return new KeeplightError("TICKER_FAILED", message, { details: { symbol, ticker, ...bound } });
}
