import { allInOrder } from "../../base/async/queue.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { insufficientFunds } from "../../base/errors/payment.ts";
import { type Call, hasCode, requestQuantity, toCallFields, toHex } from "../../network/ethereum/eth-rpc.ts";
import { estimateFees, type Fees, getL1Fee } from "../../network/ethereum/fees.ts";
import { isNodeError, isRevert } from "../../network/ethereum/json-rpc.ts";
import { explainRevert } from "../chain/contracts.ts";
import type { EstimatedStep, PaymentStep } from "../types.ts";
import type { Context, ReadingContext, StepRequest } from "./context.ts";
import { buildApproval } from "./next-step.ts";

const STEPS: readonly PaymentStep[] = ["reset-allowance", "approve", "pay"];

/** Gas that is reserved for a step which cannot be estimated yet, as a multiple of an approval's. */
const APPROVALS: Readonly<Record<PaymentStep, bigint>> = { "reset-allowance": 1n, approve: 1n, pay: 3n };

const listLater = (step: PaymentStep): readonly PaymentStep[] => STEPS.slice(STEPS.indexOf(step) + 1);

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
  const { symbol } = order.network;
  const { step, value } = request;
  const [fees, balance, estimate] = await allInOrder([
    estimateFees(rpc),
    requestQuantity(rpc, "eth_getBalance", [sender.address, "latest"]),
    requestQuantity(rpc, "eth_estimateGas", [toCallFields({ from: sender.address, ...request })]).catch(
      (error: unknown) => {
        if (isRevert(error) || !isNodeError(error, "insufficientFunds")) throw explainRevert(step, error);
      },
    ),
  ]);
  if (estimate === undefined) {
    throw insufficientFunds(symbol, "the amount and the gas", value + 1n, balance);
  }
  const gasLimit = toGasLimit(estimate);
  // Before the oracle is queried: the query encodes the fees, which a faulty node may have made arbitrarily large.
  checkFee(context, step, committed + boundFee(step, { fees, gasLimit, l1Fee: 0n }));
  const l1Fee = await getL1Fee(rpc, order.network, request, { ...fees.fields, gasLimit });
  const fee = boundFee(step, { fees, gasLimit, l1Fee });
  checkFee(context, step, committed + fee);
  const needed = value + fee;
  const purpose = value > 0n ? "the amount and the gas" : "the gas";
  // For a smart account another one may pay the gas: its wallet knows.
  const isSponsored = balance < needed && balance >= value && !sender.sign && (await hasCode(rpc, sender.address));
  if (balance < needed && !isSponsored) throw insufficientFunds(symbol, purpose, needed, balance);
  return { fees, gasLimit, l1Fee };
}

/** How many units of gas a limit may be lowered by, so that a transaction's hash is unlike any other's. */
export const EXTRA_GAS = 4_096;

/** Adds headroom to an estimate: the state may change before the transaction is mined. */
export function toGasLimit(estimate: bigint): bigint {
  return (estimate * 12n) / 10n + BigInt(EXTRA_GAS);
}

/** The most that a step with this cost may cost in fees together with all steps that follow. */
export function boundFee(step: PaymentStep, { fees, gasLimit, l1Fee }: StepCost): bigint {
  const later = listLater(step);
  const units = later.reduce((sum, next) => sum + APPROVALS[next], 1n);
  return gasLimit * fees.perGas * units + l1Fee * BigInt(1 + later.length);
}

/** Throws `FEE_TOO_HIGH` if `fee`, the total of the payment, is above the limit. */
export function checkFee({ order, maxFee }: Context, step: PaymentStep, fee: bigint): void {
  if (fee > maxFee) {
    const asset = order.network.symbol;
    throw new KeeplightError("FEE_TOO_HIGH", `The network fee of up to ${fee} is above maxFee, ${maxFee} (${asset})`, {
      details: { step, asset, fee: String(fee), maxFee: String(maxFee) },
    });
  }
}

/** More coins than any estimate requires. */
const MANY_COINS = 1n << 96n;

type StepGas = Pick<EstimatedStep, "step" | "gas" | "isTypical">;

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
  const isTypical = "refusal" in measured;
  if (isTypical && isCovered) throw explainRevert(step, measured.refusal);
  const gas = isTypical ? await getTypicalGas(context, request) : measured.gas;
  return [
    { step, gas, isTypical },
    ...listLater(step).map((next) => ({ step: next, gas: gas * APPROVALS[next], isTypical: true })),
  ];
}

/** Estimates with the payer's own coins, else with many, which not every node can. */
async function measure({ rpc, sender }: ReadingContext, call: Call): Promise<{ gas: bigint } | { refusal: unknown }> {
  const fields = toCallFields({ from: sender.address, ...call });
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

const COIN = 10n ** 18n;

/**
 * Default limits on the fees of all transactions of a payment, in the smallest unit of the chain's coin, and the ids of
 * their chains: several times the highest cost observed, but never a large sum.
 */
const DEFAULT_MAX_FEES: readonly (readonly [maxFee: bigint, chainIds: readonly number[]])[] = [
  // Fantom and Polygon, with their testnets
  [10n * COIN, [250, 4002, 137, 80001]],
  // BNB Smart Chain
  [COIN / 20n, [56, 97]],
  // Optimism
  [COIN / 100n, [10, 69]],
  // Filecoin; coins of its testnets are worth nothing
  [5n * COIN, [314]],
  [50n * COIN, [314159, 31415]],
];

/** For all other chains. */
const OTHER_MAX_FEE = COIN / 10n;

export function defaultMaxFee(chainId: number): bigint {
  return DEFAULT_MAX_FEES.find(([, chainIds]) => chainIds.includes(chainId))?.[0] ?? OTHER_MAX_FEE;
}
