import { wait } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/queue.ts";
import type { TokenContract } from "../../base/config/networks.ts";
import { ignore, KeeplightError } from "../../base/errors/base.ts";
import {
  insufficientFunds,
  paymentUnderpaid,
  tokenNotSupported,
  wrongChain,
  wrongContract,
} from "../../base/errors/payment.ts";
import { callView, decodeResult } from "../../network/ethereum/contracts.ts";
import { findRefusal, hasCode, requestQuantity, toCallFields } from "../../network/ethereum/eth-rpc.ts";
import { isRevert, type Rpc } from "../../network/ethereum/json-rpc.ts";
import { canBatch } from "../../network/ethereum/wallet/wallet-requests.ts";
import { checkPrice, erc20, explainRevert, paymentContract, transferProbe } from "../chain/contracts.ts";
import { TRANSFER_PROBE_CODE } from "../chain/transfer-probe.ts";
import type { Order, PaymentStep } from "../types.ts";
import type { Context, ReadingContext, StepRequest } from "./context.ts";

/** How often to read the allowance from a lagging node after the approval was mined. */
const MAX_ALLOWANCE_READS = 5;

/** What this payment and this run have done so far. */
export interface Progress {
  /** Whether this run has checked contract, token and balance already. */
  isChecked: boolean;
  /** Whether a wallet may be requested to approve and pay in one transaction. */
  mayBatch: boolean;
  /** The steps done so far. */
  done: readonly PaymentStep[];
  /** Those done by this run: another payment may have used up what an earlier run approved. */
  doneNow: readonly PaymentStep[];
}

/**
 * Checks what must hold before the next transaction, and plans it. A wallet that can approves and pays in one.
 *
 * @throws what {@link checkBeforeSigning} throws; `APPROVAL_FAILED`, `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`
 */
export async function nextStep(
  context: Context,
  { isChecked, mayBatch, done, doneNow }: Progress,
): Promise<StepRequest> {
  const { order } = context;
  const token = order.tokenContract?.address;
  const [, allowance, isBatch] = await allInOrder([
    isChecked ? checkChain(context) : checkBeforeSigning(context),
    awaitAllowance(context, done.includes("approve")),
    mayBatch && token !== undefined && canBatch(context.sender, order.network.chainId),
  ]);
  const request = await planStep(context, allowance, doneNow);
  if (request.step === "pay" || token === undefined || !isBatch) return request;
  const approve = buildApproval("approve", token, order.network.contract, order.amount);
  const approvals = request.step === "approve" ? [request] : [request, approve];
  await checkArrival(context, token, approvals);
  return { ...buildPayment(order, token), approvals };
}

/**
 * Plans the next transaction. A sufficient allowance is used as it is; any other is set, first to zero if the token
 * requires it.
 *
 * @param allowance - of the payment contract; see {@link readAllowance}
 * @param doneNow - the steps done by this run
 * @throws `APPROVAL_FAILED`, `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`; what {@link Rpc} throws
 */
export async function planStep(
  context: ReadingContext,
  allowance: bigint,
  doneNow: readonly PaymentStep[],
): Promise<StepRequest> {
  const { order, rpc, sender } = context;
  const { contract } = order.network;
  const token = order.tokenContract?.address;
  if (token === undefined) return { step: "pay", to: contract, data: "0x", value: order.amount };
  if (allowance >= order.amount) {
    await checkArrival(context, token);
    return buildPayment(order, token);
  }
  if (doneNow.includes("approve"))
    throw new KeeplightError("APPROVAL_FAILED", "The token did not keep the approval that was sent to it", {
      details: { allowance: String(allowance), amount: String(order.amount) },
    });
  const approve = buildApproval("approve", token, contract, order.amount);
  const refusal = await findRefusal(rpc, { from: sender.address, ...approve });
  if (refusal === undefined) return approve;
  if (isRevert(refusal) && allowance > 0n && !doneNow.includes("reset-allowance")) {
    return buildApproval("reset-allowance", token, contract, 0n);
  }
  throw explainRevert("approve", refusal);
}

function buildPayment({ network, amount, mark = "" }: Order, token: string): StepRequest {
  const data = paymentContract.encodeFunctionData("receiveToken", [amount, token]);
  return { step: "pay", to: network.contract, data: `${data}${mark}`, value: 0n };
}

export function buildApproval(step: PaymentStep, token: string, spender: string, amount: bigint): StepRequest {
  return { step, to: token, data: erc20.encodeFunctionData("approve", [spender, amount]), value: 0n };
}

/** Reads the allowance again if a lagging node does not show the approval yet. */
async function awaitAllowance(context: Context, wasApproved: boolean): Promise<bigint> {
  const { order, waiting, signal } = context;
  for (let read = 1; ; read++) {
    const allowance = await readAllowance(context);
    if (!wasApproved || allowance >= order.amount || read === MAX_ALLOWANCE_READS) return allowance;
    await wait(waiting.pollMs, signal);
  }
}

/** Reads how much of the token the payment contract may take; 0 for the chain's own coin. */
export async function readAllowance({ order, rpc, sender }: ReadingContext): Promise<bigint> {
  const token = order.tokenContract?.address;
  return token === undefined ? 0n : readToken(rpc, token, ["allowance", sender.address, order.network.contract]);
}

async function readToken(rpc: Rpc, token: string, view: [name: string, ...args: unknown[]]): Promise<bigint> {
  const value = await callView(rpc, erc20, token, view);
  if (typeof value !== "bigint") throw wrongContract(token, "it is not a token");
  return value;
}

/**
 * Simulates approvals, if any, and then the transfer with a state override that replaces the contract's code, to see how
 * much of the token would arrive. Nodes that cannot are skipped: the received amount is checked again after the payment.
 *
 * @throws `PAYMENT_UNDERPAID`; what {@link Rpc} throws
 */
async function checkArrival(
  { order, rpc, sender }: ReadingContext,
  token: string,
  approvals: readonly StepRequest[] = [],
): Promise<void> {
  const { contract } = order.network;
  const transfer = { to: contract, data: transferProbe.encodeFunctionData("arrives", [token, order.amount]) };
  const calls = [...approvals, transfer].map((call) => toCallFields({ ...call, from: sender.address }));
  const stateOverrides = { [contract]: { code: TRANSFER_PROBE_CODE } };
  const simulation =
    approvals.length === 0
      ? rpc("eth_call", [calls[0], "latest", stateOverrides])
      : rpc("eth_simulateV1", [{ blockStateCalls: [{ stateOverrides, calls }] }, "latest"]).then(readLastResult);
  const result = await simulation.catch(ignore("RPC_REFUSED", "HTTP_STATUS"));
  const arrives = decodeResult(transferProbe, "arrives", result);
  if (typeof arrives === "bigint" && arrives < order.amount)
    throw paymentUnderpaid({ step: "pay" }, order.amount, arrives);
}

function readLastResult(response: unknown): unknown {
  const block: unknown = Array.isArray(response) ? response.at(-1) : undefined;
  const { calls } = Object(block) as { calls?: unknown };
  const last: unknown = Array.isArray(calls) ? calls.at(-1) : undefined;
  return (Object(last) as { returnData?: unknown }).returnData;
}

/**
 * Checks everything that must hold before signing, except the gas. Reads it all at once.
 *
 * @throws `WRONG_CHAIN`, `WRONG_CONTRACT`, `TOKEN_NOT_SUPPORTED`, `TICKER_FAILED`, `INSUFFICIENT_FUNDS`; what {@link Rpc}
 * throws
 */
async function checkBeforeSigning(context: Context): Promise<void> {
  const { network, tokenContract, token, amount } = context.order;
  const checks = [checkChain(context), checkPayee(context), checkPrice(context), readBalance(context)] as const;
  const [, , priceCheck, balance] = await allInOrder(checks);
  context.order.priceCheck = priceCheck;
  if (balance < amount) throw insufficientFunds(tokenContract ? token : network.symbol, "the amount", amount, balance);
}

export async function checkPayee(context: ReadingContext): Promise<void> {
  const { tokenContract } = context.order;
  await allInOrder([checkContract(context), tokenContract && checkToken(context, tokenContract)]);
}

export async function readBalance({ order, rpc, sender }: ReadingContext): Promise<bigint> {
  const token = order.tokenContract?.address;
  if (token === undefined) return requestQuantity(rpc, "eth_getBalance", [sender.address, "latest"]);
  return readToken(rpc, token, ["balanceOf", sender.address]);
}

/** Checks that node and wallet are on the payment's chain. A wallet can switch chains at any time. */
export async function checkChain(context: Context): Promise<void> {
  const { order, rpc, sender } = context;
  const wallet = !sender.sign && sender.ownRpc !== rpc ? sender.ownRpc : undefined;
  await allInOrder([checkNodeChain(context), wallet && assertChain(wallet, "The wallet", order)]);
}

/** Checks that what is read, which may be through a wallet, is of the payment's chain. */
export async function checkNodeChain({ order, rpc }: ReadingContext): Promise<void> {
  await assertChain(rpc, "The node", order);
}

async function assertChain(rpc: Rpc, where: string, { network }: Order): Promise<void> {
  const got = await requestQuantity(rpc, "eth_chainId");
  if (got !== BigInt(network.chainId)) throw wrongChain(where, network.chainId, got);
}

async function checkContract({ order, rpc }: ReadingContext): Promise<void> {
  const { contract } = order.network;
  const [exists, balance] = await allInOrder([
    hasCode(rpc, contract),
    callView(rpc, paymentContract, contract, ["getNativeBalance"]),
  ]);
  if (!exists) throw wrongContract(contract, "there is none");
  if (balance === undefined) throw wrongContract(contract, "it is not a payment contract");
}

async function checkToken({ order, rpc }: ReadingContext, { address, decimals }: TokenContract): Promise<void> {
  const { network, token, size } = order;
  const [supported, actual] = await allInOrder([
    callView(rpc, paymentContract, network.contract, ["getTokenStatus", address]),
    // A price computed with other decimals than the token's would be wrong by powers of ten.
    size === undefined ? undefined : callView(rpc, erc20, address, ["decimals"]),
  ]);
  if (supported === undefined) throw wrongContract(network.contract, "it does not report which tokens it accepts");
  if (supported !== true) throw tokenNotSupported(token, "the payment contract does not accept it");
  if (actual !== undefined && actual !== BigInt(decimals)) {
    throw wrongContract(address, `it has ${actual} decimals, the network's row says ${decimals}`);
  }
}
