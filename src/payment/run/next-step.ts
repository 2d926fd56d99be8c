import { wait } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { approvalFailed, paymentReverted, paymentUnderpaid, wrongContract } from "../../errors/payment.ts";
import { erc20, paymentContract, transferProbe } from "../chain/abi.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { callFields, callView, decoded } from "../chain/eth-rpc.ts";
import { isRevert } from "../chain/rpc.ts";
import { TRANSFER_PROBE_CODE } from "../chain/transfer-probe.ts";
import type { PaymentStep } from "../types.ts";
import type { Context, StepRequest } from "./context.ts";

/** How often a node that lags behind may be asked about an approval that is in the chain. */
const LOOKS = 5;

/**
 * The transaction that comes next. An allowance that suffices is used as it is; one that does not is set, through zero
 * where the token wants that.
 *
 * @param done - what was done already
 * @param doneNow - the part of it that this run did: another payment may have used up what an earlier run approved
 * @throws `APPROVAL_FAILED`, `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`; what {@link Rpc} throws
 */
export async function nextStep(
  context: Context,
  done: readonly PaymentStep[],
  doneNow: readonly PaymentStep[],
): Promise<StepRequest> {
  const { order, rpc, sender } = context;
  const { contract } = order.network;
  const token = order.tokenContract?.address;
  if (token === undefined) return { step: "pay", to: contract, data: "0x", value: order.amount };
  const allowance = await readAllowance(context, token, done.includes("approve"));
  if (allowance >= order.amount) {
    await checkArrival(context, token);
    const data = paymentContract.encodeFunctionData("receiveToken", [order.amount, token]);
    return { step: "pay", to: contract, data, value: 0n };
  }
  if (doneNow.includes("approve")) throw approvalFailed(allowance, order.amount);
  const approve = approval("approve", token, contract, order.amount);
  const refusal = await rpc("eth_call", [callFields({ from: sender.address, ...approve }), "latest"]).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal === undefined) return approve;
  if (!isRevert(refusal)) throw refusal;
  if (allowance > 0n && !doneNow.includes("reset-allowance")) return approval("reset-allowance", token, contract, 0n);
  throw paymentReverted({ step: "approve" }, readRevertData(refusal));
}

function approval(step: PaymentStep, token: string, spender: string, amount: bigint): StepRequest {
  return { step, to: token, data: erc20.encodeFunctionData("approve", [spender, amount]), value: 0n };
}

async function readAllowance(context: Context, token: string, wasApproved: boolean): Promise<bigint> {
  const { order, rpc, sender, waiting, signal } = context;
  for (let look = 1; ; look++) {
    const allowance = await callView(rpc, erc20, token, ["allowance", sender.address, order.network.contract]);
    if (typeof allowance !== "bigint") throw wrongContract(token, "it is not a token");
    if (!wasApproved || allowance >= order.amount || look === LOOKS) return allowance;
    await wait(waiting.pollMs, signal);
  }
}

/**
 * Tries how much of the token would arrive, by a call in which the contract's code is another one for once. Nodes that
 * cannot do that are not asked further: what arrived is looked at again afterwards.
 */
async function checkArrival({ order, rpc, sender }: Context, token: string): Promise<void> {
  const { contract } = order.network;
  const data = transferProbe.encodeFunctionData("arrives", [token, order.amount]);
  const call = callFields({ from: sender.address, to: contract, data });
  const answer = await rpc("eth_call", [call, "latest", { [contract]: { code: TRANSFER_PROBE_CODE } }]).catch(
    (error: unknown) => {
      if (isKeeplightError(error) && (error.code === "RPC_REFUSED" || error.code === "HTTP_STATUS")) return undefined;
      throw error;
    },
  );
  const arrives = decoded(transferProbe, "arrives", answer);
  if (typeof arrives === "bigint" && arrives < order.amount)
    throw paymentUnderpaid({ step: "pay" }, order.amount, arrives);
}
