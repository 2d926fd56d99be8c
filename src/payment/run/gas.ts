import { isKeeplightError } from "../../errors/base.ts";
import { feeTooHigh, insufficientFunds, paymentReverted } from "../../errors/payment.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { ask, callFields } from "../chain/eth-rpc.ts";
import type { Fees } from "../chain/fees.ts";
import { getL1Fee } from "../chain/l1-fee.ts";
import { isRevert } from "../chain/rpc.ts";
import type { PaymentStep } from "../types.ts";
import type { Context, StepRequest } from "./context.ts";

/** How many steps follow, and what they may take in gas in multiples of this one's: they cannot be estimated yet. */
const TO_COME = {
  "reset-allowance": { steps: 2n, gas: 4n },
  approve: { steps: 1n, gas: 3n },
  pay: { steps: 0n, gas: 0n },
};

/** The gas limit of a step, and what it takes besides gas on the chain below. */
export interface StepCost {
  gasLimit: bigint;
  below: bigint;
}

/**
 * What a step costs, once `maxFee` and the balance are known to cover it together with all that the payment may yet take
 * in the chain's own coin.
 *
 * @param committed - the most that the payment's earlier transactions cost
 * @throws `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `WRONG_CONTRACT`; what {@link Rpc} throws
 */
export async function capGasToBalance(
  context: Context,
  request: StepRequest,
  fees: Fees,
  committed: bigint,
): Promise<StepCost> {
  const { order, rpc, sender } = context;
  const { symbol, chainId, opStack } = order.network;
  const { step, to, data, value } = request;
  const balance = await ask(rpc, "eth_getBalance", [sender.address, "latest"]);
  const fields = callFields({ from: sender.address, ...request });
  const estimate = await ask(rpc, "eth_estimateGas", [fields]).catch((error: unknown) => {
    if (isRevert(error)) throw paymentReverted({ step }, readRevertData(error));
    if (isKeeplightError(error) && /insufficient (funds|balance)/i.test(error.message)) {
      throw insufficientFunds(symbol, "the amount and the gas", value + 1n, balance);
    }
    throw error;
  });
  const gasLimit = (estimate * 12n) / 10n;
  const toCome = TO_COME[step];
  const forGas = gasLimit * fees.perGas * (1n + toCome.gas);
  // Before the oracle is asked: what it is asked about holds the fees, which may be beyond all bounds.
  checkFee(context, step, committed + forGas);
  const below = opStack ? await getL1Fee(rpc, { ...fees.fields, chainId, to, data, value, gasLimit }) : 0n;
  const fee = forGas + below * (1n + toCome.steps);
  checkFee(context, step, committed + fee);
  const needed = value + fee;
  const purpose = value > 0n ? "the amount and the gas" : "the gas";
  if (balance < needed) throw insufficientFunds(symbol, purpose, needed, balance);
  return { gasLimit, below };
}

/** Throws `FEE_TOO_HIGH` if `fee`, of all transactions of the payment, is above the limit. */
export function checkFee({ order, maxFee }: Context, step: PaymentStep, fee: bigint): void {
  if (fee > maxFee) throw feeTooHigh(step, order.network.symbol, fee, maxFee);
}
