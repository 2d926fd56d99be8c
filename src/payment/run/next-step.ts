import { wait } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/all-in-order.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { approvalFailed, paymentReverted, paymentUnderpaid, wrongContract } from "../../base/errors/payment.ts";
import { isRevert } from "../../network/ethereum/node-errors.ts";
import { erc20, paymentContract, transferProbe } from "../chain/abi.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { callView, decodeResult, toCallFields } from "../chain/eth-rpc.ts";
import { TRANSFER_PROBE_CODE } from "../chain/transfer-probe.ts";
import type { Order, PaymentStep } from "../types.ts";
import { canBatch, checkArrivalAfter } from "./batch.ts";
import { checkBeforeSigning, checkChain } from "./checks.ts";
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
  const [, allowance, isAtomic] = await allInOrder([
    isChecked ? checkChain(context) : checkBeforeSigning(context),
    awaitAllowance(context, done.includes("approve")),
    mayBatch && token !== undefined && canBatch(context),
  ]);
  const request = await planStep(context, allowance, doneNow);
  if (request.step === "pay" || token === undefined || !isAtomic) return request;
  const approve = buildApproval("approve", token, order.network.contract, order.amount);
  const approvals = request.step === "approve" ? [request] : [request, approve];
  await checkArrivalAfter(context, approvals, token);
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
  if (doneNow.includes("approve")) throw approvalFailed(allowance, order.amount);
  const approve = buildApproval("approve", token, contract, order.amount);
  const refusal = await rpc("eth_call", [toCallFields({ from: sender.address, ...approve }), "latest"]).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal === undefined) return approve;
  if (!isRevert(refusal)) throw refusal;
  if (allowance > 0n && !doneNow.includes("reset-allowance")) {
    return buildApproval("reset-allowance", token, contract, 0n);
  }
  throw paymentReverted({ step: "approve" }, readRevertData(refusal));
}

function buildPayment({ network, amount, mark = "" }: Order, token: string): StepRequest {
  const data = paymentContract.encodeFunctionData("receiveToken", [amount, token]);
  return { step: "pay", to: network.contract, data: `${data}${mark}`, value: 0n };
}

/** Builds an approval of exactly this amount. */
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
  if (token === undefined) return 0n;
  const allowance = await callView(rpc, erc20, token, ["allowance", sender.address, order.network.contract]);
  if (typeof allowance !== "bigint") throw wrongContract(token, "it is not a token");
  return allowance;
}

/**
 * Simulates the transfer with a state override that replaces the contract's code, to see how much of the token would
 * arrive. Nodes without state overrides are skipped: the received amount is checked again after the payment.
 */
async function checkArrival({ order, rpc, sender }: ReadingContext, token: string): Promise<void> {
  const { contract } = order.network;
  const data = transferProbe.encodeFunctionData("arrives", [token, order.amount]);
  const call = toCallFields({ from: sender.address, to: contract, data });
  const result = await rpc("eth_call", [call, "latest", { [contract]: { code: TRANSFER_PROBE_CODE } }]).catch(
    (error: unknown) => {
      if (isKeeplightError(error) && (error.code === "RPC_REFUSED" || error.code === "HTTP_STATUS")) return undefined;
      throw error;
    },
  );
  const arrives = decodeResult(transferProbe, "arrives", result);
  if (typeof arrives === "bigint" && arrives < order.amount)
    throw paymentUnderpaid({ step: "pay" }, order.amount, arrives);
}
