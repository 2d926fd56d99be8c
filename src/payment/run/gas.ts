import { allInOrder } from "../../base/async/all-in-order.ts";
import { feeTooHigh, insufficientFunds, paymentReverted } from "../../base/errors/payment.ts";
import { isNodeError, isRevert } from "../../network/ethereum/node-errors.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { hasCode, requestQuantity, toCallFields } from "../chain/eth-rpc.ts";
import { estimateFees, type Fees } from "../chain/fees.ts";
import { getL1Fee } from "../chain/l1-fee.ts";
import type { PaymentStep } from "../types.ts";
import { readCapabilities } from "../wallet/capabilities.ts";
import type { Context, StepRequest } from "./context.ts";

/** How many steps follow, and how much gas they may use as a multiple of this one's: they cannot be estimated yet. */
const REMAINING = {
  "reset-allowance": { steps: 2n, gas: 4n },
  approve: { steps: 1n, gas: 3n },
  pay: { steps: 0n, gas: 0n },
};

/** The fees to offer for a step, its gas limit, and its L1 data fee on OP Stack chains. */
export interface StepCost {
  fees: Fees;
  gasLimit: bigint;
  l1Fee: bigint;
}

/**
 * Estimates the cost of a step, and checks that `maxFee` and the balance cover it together with everything that the
 * rest of the payment may cost in the chain's own coin.
 *
 * @param committed - the most that the payment's earlier transactions can cost
 * @throws `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `WRONG_CONTRACT`; what {@link Rpc} throws
 */
export async function capGasToBalance(context: Context, request: StepRequest, committed: bigint): Promise<StepCost> {
  const { order, rpc, sender } = context;
  const { symbol, chainId, opStack } = order.network;
  const { step, to, data, value } = request;
  const [fees, balance, estimate] = await allInOrder([
    estimateFees(rpc),
    requestQuantity(rpc, "eth_getBalance", [sender.address, "latest"]),
    estimateGas(context, request),
  ]);
  if (estimate === "insufficient funds") {
    throw insufficientFunds(symbol, "the amount and the gas", value + 1n, balance);
  }
  const gasLimit = toGasLimit(estimate);
  // Before the oracle is queried: the query encodes the fees, which a faulty node may have made arbitrarily large.
  checkFee(context, step, committed + boundFee(step, { fees, gasLimit, l1Fee: 0n }));
  const l1Fee = opStack ? await getL1Fee(rpc, { ...fees.fields, chainId, to, data, value, gasLimit }) : 0n;
  const fee = boundFee(step, { fees, gasLimit, l1Fee });
  checkFee(context, step, committed + fee);
  const needed = value + fee;
  const purpose = value > 0n ? "the amount and the gas" : "the gas";
  if (balance < needed && !(balance >= value && (await mayBeSponsored(context)))) {
    throw insufficientFunds(symbol, purpose, needed, balance);
  }
  return { fees, gasLimit, l1Fee };
}

async function estimateGas({ rpc, sender }: Context, request: StepRequest): Promise<bigint | "insufficient funds"> {
  const { step } = request;
  const fields = toCallFields({ from: sender.address, ...request });
  try {
    return await requestQuantity(rpc, "eth_estimateGas", [fields]);
  } catch (error) {
    if (isRevert(error)) throw paymentReverted({ step }, readRevertData(error));
    if (isNodeError(error, "insufficientFunds")) return "insufficient funds";
    throw error;
  }
}

/** Whether another account may pay the gas: a wallet knows whether it does for a smart account, or by a paymaster. */
async function mayBeSponsored({ order, rpc, sender }: Context): Promise<boolean> {
  if (sender.kind !== "wallet") return false;
  return (await hasCode(rpc, sender.address)) || (await readCapabilities(sender, order.network.chainId)).hasPaymaster;
}

/** Adds headroom to an estimate: the state may change before the transaction is mined. */
export function toGasLimit(estimate: bigint): bigint {
  return (estimate * 12n) / 10n;
}

/** The most that a step with this cost may cost in fees together with all steps that follow. */
export function boundFee(step: PaymentStep, { fees, gasLimit, l1Fee }: StepCost): bigint {
  const remaining = REMAINING[step];
  return gasLimit * fees.perGas * (1n + remaining.gas) + l1Fee * (1n + remaining.steps);
}

/** Throws `FEE_TOO_HIGH` if `fee`, the total of the payment, is above the limit. */
export function checkFee({ order, maxFee }: Context, step: PaymentStep, fee: bigint): void {
  if (fee > maxFee) throw feeTooHigh(step, order.network.symbol, fee, maxFee);
}
