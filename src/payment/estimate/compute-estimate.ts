import { allInOrder } from "../../async/all-in-order.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { unreadableResponse } from "../../errors/payment.ts";
import { callOptionNames, resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { requestQuantity } from "../chain/eth-rpc.ts";
import { estimateFees, type Fees } from "../chain/fees.ts";
import { getL1Fee } from "../chain/l1-fee.ts";
import { createReadingRpc } from "../chain/reading-rpc.ts";
import { fetchTicker } from "../fetch-ticker.ts";
import { prepareOrder } from "../order.ts";
import { toUsd } from "../price.ts";
import { networkOptionNames, rateOptionNames } from "../price-options.ts";
import { checkPayee, readBalance } from "../run/checks.ts";
import type { ReadingContext, StepRequest } from "../run/context.ts";
import { boundFee, toGasLimit } from "../run/gas.ts";
import { planStep, readAllowance } from "../run/next-step.ts";
import type { Order } from "../types.ts";
import { estimateGas } from "./estimate-gas.ts";
import { readPayer } from "./read-payer.ts";
import type { EstimatedStep, EstimateOptions, MissingFunds, PaymentEstimate } from "./types.ts";

const optionNames = [
  callOptionNames,
  networkOptionNames,
  rateOptionNames,
  "amount,size,token,address,privateKey,signer,rpc",
] as const;

/**
 * Implements `estimatePayment`.
 *
 * @throws what `estimatePayment` throws
 */
export async function computeEstimate(options: EstimateOptions): Promise<PaymentEstimate> {
  const requested = checkOptions(options, optionNames);
  const call = resolveCall(requested);
  // The order is checked without the payer, who need not be able to sign.
  const { privateKey: _key, signer: _signer, ...ordered } = requested;
  const order = prepareOrder(ordered);
  const { network, token, tokenContract } = order;
  const rpc = createReadingRpc(requested.rpc, network, call);
  const address = await readPayer(requested, call);
  order.amount = await order.quoteAmount();
  const context: ReadingContext = { order, rpc, sender: { address } };
  const [, coins, balance, allowance] = await allInOrder([
    checkPayee(context),
    requestQuantity(rpc, "eth_getBalance", [address, "latest"]),
    readBalance(context),
    readAllowance(context),
  ]);
  const { amount } = order;
  const request = await planStep(context, allowance, []);
  const { steps, maxFee } = await estimateSteps(context, request, balance >= amount);
  const fee = steps.reduce((sum, step) => sum + step.fee, 0n);
  const value = tokenContract ? 0n : amount;
  const missing: MissingFunds[] = [
    { asset: token, amount: tokenContract ? amount - balance : 0n },
    { asset: network.symbol, amount: maxFee + value - coins },
  ].filter((lack) => lack.amount > 0n);
  const usd = await computeUsd(order, fee, () => fetchTicker(network.symbol, call));
  return {
    token,
    amount,
    decimals: (tokenContract ?? network).decimals,
    from: address,
    symbol: network.symbol,
    steps,
    fee,
    maxFee,
    total: fee + value,
    ...(usd ? { usd } : {}),
    isAffordable: missing.length === 0,
    missing,
  };
}

/** @param isCovered - whether the payer has the amount */
async function estimateSteps(
  context: ReadingContext,
  request: StepRequest,
  isCovered: boolean,
): Promise<{ steps: PaymentEstimate["steps"]; maxFee: bigint }> {
  const [fees, [first, ...later]] = await allInOrder([
    estimateFees(context.rpc),
    estimateGas(context, request, isCovered),
  ]);
  const gasLimit = toGasLimit(first.gas);
  // Beyond any transaction: no fee of a chain comes near.
  if (gasLimit * fees.perGas >= 1n << 128n) throw unreadableResponse("eth_estimateGas");
  // The transactions that follow are as long as this one.
  const l1Fee = await readL1Fee(context, request, fees, gasLimit);
  const toStep = (step: typeof first): EstimatedStep => ({ ...step, fee: step.gas * fees.likelyPerGas + l1Fee, l1Fee });
  return {
    steps: [toStep(first), ...later.map(toStep)],
    maxFee: boundFee(first.step, { fees, gasLimit, l1Fee }),
  };
}

async function readL1Fee(
  { order, rpc }: ReadingContext,
  { to, data, value }: StepRequest,
  fees: Fees,
  gasLimit: bigint,
): Promise<bigint> {
  const { chainId, opStack } = order.network;
  return opStack ? getL1Fee(rpc, { ...fees.fields, chainId, to, data, value, gasLimit }) : 0n;
}

async function computeUsd(
  { network, tokenContract, amount }: Order,
  fee: bigint,
  fetchPrice: () => Promise<number>,
): Promise<PaymentEstimate["usd"]> {
  const usdPerCoin = await fetchPrice().catch((error: unknown) => {
    // The coins of testnets have no price.
    if (isKeeplightError(error, "TICKER_FAILED")) return undefined;
    throw error;
  });
  if (usdPerCoin === undefined) return undefined;
  const { decimals } = network;
  const [total, ofAmount = "", ofFee = ""] = toUsd(
    tokenContract
      ? { amount, decimals: tokenContract.decimals, usdPerWhole: 1 }
      : { amount, decimals, usdPerWhole: usdPerCoin },
    { amount: fee, decimals, usdPerWhole: usdPerCoin },
  );
  return { amount: ofAmount, fee: ofFee, total };
}
