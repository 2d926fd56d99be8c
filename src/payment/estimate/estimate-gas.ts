import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentReverted } from "../../base/errors/payment.ts";
import { isRevert } from "../../network/ethereum/node-errors.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { requestQuantity, toCallFields, toHex } from "../chain/eth-rpc.ts";
import type { ReadingContext, StepRequest } from "../run/context.ts";
import { buildApproval } from "../run/next-step.ts";
import type { PaymentStep } from "../types.ts";

/** More coins than any estimate requires. */
const MANY_COINS = 1n << 96n;

/** Gas of a step as a multiple of an approval's. The payment's own checks reserve as much. */
const APPROVALS: Readonly<Record<PaymentStep, bigint>> = { "reset-allowance": 1n, approve: 1n, pay: 3n };

const STEPS: readonly PaymentStep[] = ["reset-allowance", "approve", "pay"];

/** How much gas a step uses; see {@link EstimatedStep}. */
export interface StepGas {
  step: PaymentStep;
  gas: bigint;
  isTypical: boolean;
}

/**
 * Estimates the gas of the next step and of all that follow.
 *
 * @param isCovered - whether the payer has the amount: if not, the payment is expected to fail
 * @throws `PAYMENT_REVERTED` if it would fail nevertheless, `RPC_REFUSED`; what {@link Rpc} throws
 */
export async function estimateGas(
  context: ReadingContext,
  request: StepRequest,
  isCovered: boolean,
): Promise<[StepGas, ...StepGas[]]> {
  const { step } = request;
  const measured = await measure(context, request);
  if ("refusal" in measured && isCovered) throw explain(step, measured.refusal);
  const isTypical = "refusal" in measured;
  const gas = isTypical ? await getTypicalGas(context, request) : measured.gas;
  const later = STEPS.slice(STEPS.indexOf(step) + 1);
  return [
    { step, gas, isTypical },
    ...later.map((next) => ({ step: next, gas: gas * APPROVALS[next], isTypical: true })),
  ];
}

/** Estimates with the payer's own coins, else with many, which not every node can. */
async function measure(
  { rpc, sender }: ReadingContext,
  request: Omit<StepRequest, "step">,
): Promise<{ gas: bigint } | { refusal: unknown }> {
  const fields = toCallFields({ from: sender.address, ...request });
  const funded = { [sender.address]: { balance: toHex(MANY_COINS) } };
  let refusal: unknown;
  for (const params of [[fields], [fields, "latest", funded]]) {
    try {
      return { gas: await requestQuantity(rpc, "eth_estimateGas", params) };
    } catch (error) {
      if (!isKeeplightError(error, "RPC_REFUSED") && !isKeeplightError(error, "HTTP_STATUS")) throw error;
      refusal ??= error;
    }
  }
  return { refusal };
}

/** Of a payment that would fail now: as much as one of no coins uses, or several times what an approval does. */
async function getTypicalGas(context: ReadingContext, { to, data }: StepRequest): Promise<bigint> {
  const { tokenContract, network, amount } = context.order;
  const similar = tokenContract
    ? buildApproval("approve", tokenContract.address, network.contract, amount)
    : { to, data, value: 0n };
  const measured = await measure(context, similar);
  if ("refusal" in measured) throw measured.refusal;
  return tokenContract ? measured.gas * APPROVALS.pay : measured.gas;
}

function explain(step: PaymentStep, refusal: unknown): unknown {
  return isRevert(refusal) ? paymentReverted({ step }, readRevertData(refusal)) : refusal;
}
