import { allInOrder } from "../base/async/queue.ts";
import { ignore } from "../base/errors/base.ts";
import { invalidOption } from "../base/errors/input.ts";
import { unreadableResponse } from "../base/errors/payment.ts";
import type { Resolved } from "../base/operation.ts";
import { connectToNodes, requestQuantity } from "../network/ethereum/eth-rpc.ts";
import { estimateFees, getL1Fee } from "../network/ethereum/fees.ts";
import type { RpcLimits } from "../network/ethereum/json-rpc.ts";
import { createSender } from "../network/ethereum/wallet/sender.ts";
import { checkPrice } from "./chain/contracts.ts";
import { choosePayer, type orderSchema, type payerSchema } from "./options.ts";
import { planOrder } from "./payment-order.ts";
import { toUsd } from "./price.ts";
import type { ReadingContext, StepRequest } from "./run/context.ts";
import { boundFee, estimateGas, toGasLimit } from "./run/gas.ts";
import { checkPayee, planStep, readAllowance, readBalance } from "./run/next-step.ts";
import { fetchTicker } from "./ticker.ts";
import type { EstimatedStep, MissingFunds, Order, PaymentEstimate } from "./types.ts";

/** Who is to pay: what comes first takes precedence. */
type EstimatedPayer = Resolved<typeof payerSchema> & { address: string | undefined };

/** Implements `estimatePayment`. */
export async function computeEstimate(
  options: Resolved<typeof orderSchema> & { rpc: readonly string[] | undefined },
  payer: EstimatedPayer,
): Promise<PaymentEstimate> {
  const order = planOrder(options);
  const { network, token, tokenContract } = order;
  const rpc = connectToNodes(network, options.rpc, options);
  const { address } = await identify(payer, network, options);
  order.amount = await order.quoteAmount();
  const context: ReadingContext = { order, rpc, sender: { address } };
  const [, priceCheck, coins, balance, allowance] = await allInOrder([
    checkPayee(context),
    checkPrice(context),
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
  // The coins of testnets have no price.
  const usdPerCoin = order.usdPerCoin ?? (await fetchTicker(network.symbol, options).catch(ignore("TICKER_FAILED")));
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
    ...(priceCheck ? { priceCheck } : {}),
    ...(usdPerCoin === undefined ? {} : { usd: computeUsd(order, fee, usdPerCoin) }),
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
  const { order, rpc } = context;
  const [fees, [first, ...later]] = await allInOrder([estimateFees(rpc), estimateGas(context, request, isCovered)]);
  const gasLimit = toGasLimit(first.gas);
  // Beyond any transaction: no fee of a chain comes near.
  if (gasLimit * fees.perGas >= 1n << 128n) throw unreadableResponse("eth_estimateGas");
  // The transactions that follow are as long as this one.
  const l1Fee = await getL1Fee(rpc, order.network, request, { ...fees.fields, gasLimit });
  const toStep = (step: typeof first): EstimatedStep => ({ ...step, fee: step.gas * fees.likelyPerGas + l1Fee, l1Fee });
  const maxFee = boundFee(first.step, { fees, gasLimit, l1Fee });
  return { steps: [toStep(first), ...later.map(toStep)], maxFee };
}

function computeUsd({ network, tokenContract, amount }: Order, fee: bigint, usdPerCoin: number) {
  const coin = { decimals: network.decimals, usdPerWhole: usdPerCoin };
  const currency = tokenContract ? { decimals: tokenContract.decimals, usdPerWhole: 1 } : coin;
  const [total, ofAmount = "", ofFee = ""] = toUsd({ amount, ...currency }, { amount: fee, ...coin });
  return { amount: ofAmount, fee: ofFee, total };
}

/** Finds the payer. Opens no window of a wallet. */
async function identify(payer: EstimatedPayer, network: Order["network"], limits: RpcLimits) {
  const { address, ...keys } = payer;
  if (address !== undefined) return { address };
  if (keys.privateKey === undefined && keys.signer === undefined)
    throw invalidOption("address", "the payer's address, privateKey or signer");
  return createSender({ ...choosePayer(keys), isQuiet: true }, network, limits);
}
