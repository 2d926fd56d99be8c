import { isKeeplightError } from "../errors/base.ts";
import { insufficientFunds, paymentReverted } from "../errors/payment.ts";
import { ask, callFields } from "./chain.ts";
import type { Context, StepRequest } from "./context.ts";
import type { Fees } from "./fees.ts";
import { l1FeeOf } from "./l1-fee.ts";
import { readRevert } from "./reverts.ts";
import { isRevert } from "./rpc.ts";

/** How many steps follow, and what they may take in gas in multiples of this one's: they cannot be estimated yet. */
const TO_COME = {
  "reset-allowance": { steps: 2n, gas: 4n },
  approve: { steps: 1n, gas: 3n },
  pay: { steps: 0n, gas: 0n },
};

/**
 * The gas limit of a step, once the balance is known to cover it together with all that the payment may yet take in the
 * chain's own coin.
 *
 * @throws `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `WRONG_CONTRACT`; what {@link Rpc} throws
 */
export async function affordableGas(
  { order, rpc, sender }: Context,
  request: StepRequest,
  fees: Fees,
): Promise<bigint> {
  const { symbol, chainId, opStack } = order.network;
  const { step, to, data, value } = request;
  const balance = await ask(rpc, "eth_getBalance", [sender.address, "latest"]);
  const fields = callFields({ from: sender.address, ...request });
  const estimate = await ask(rpc, "eth_estimateGas", [fields]).catch((error: unknown) => {
    if (isRevert(error)) throw paymentReverted({ step }, readRevert(error));
    if (isKeeplightError(error) && /insufficient (funds|balance)/i.test(error.message)) {
      throw insufficientFunds(symbol, "the amount and the gas", value + 1n, balance);
    }
    throw error;
  });
  const gasLimit = (estimate * 12n) / 10n;
  const below = opStack ? await l1FeeOf(rpc, { ...fees.fields, chainId, to, data, value, gasLimit }) : 0n;
  const toCome = TO_COME[step];
  const needed = value + gasLimit * fees.perGas * (1n + toCome.gas) + below * (1n + toCome.steps);
  const purpose = value > 0n ? "the amount and the gas" : "the gas";
  if (balance < needed) throw insufficientFunds(symbol, purpose, needed, balance);
  return gasLimit;
}
