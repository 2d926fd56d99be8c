import { untilAborted } from "../base/async/abort.ts";
import { allInOrder } from "../base/async/queue.ts";
import type { PaymentToken } from "../base/config/networks.ts";
import { ignore } from "../base/errors/base.ts";
import { invalidOption } from "../base/errors/input.ts";
import { unreadableResponse } from "../base/errors/payment.ts";
import type { Resolved } from "../base/operation.ts";
import { type Eip1193Provider, getViemAccount, isEip1193, requestOnce } from "../base/validation/signer.ts";
import { createProviderRpc, type RpcLimits } from "../network/ethereum/json-rpc.ts";
import { connectToNodes, requestQuantity } from "./chain/eth-rpc.ts";
import { estimateFees, type Fees, getL1Fee } from "./chain/fees.ts";
import { checkSigner, type orderSchema, payerAddress } from "./options.ts";
import { createOrder } from "./order.ts";
import { toUsd } from "./price.ts";
import type { ReadingContext, StepRequest } from "./run/context.ts";
import { boundFee, estimateGas, toGasLimit } from "./run/gas.ts";
import { checkPayee, planStep, readAllowance, readBalance } from "./run/next-step.ts";
import { fetchTicker } from "./ticker.ts";
import type { Order, PaymentStep } from "./types.ts";
import { parsePrivateKey } from "./wallet/sender.ts";
import { isViemAccount, type PaymentSigner, type TransactionSigner } from "./wallet/signer.ts";

/** One transaction that a payment requires. Fees are in the smallest unit of the chain's own coin. */
export interface EstimatedStep {
  /** Its purpose. */
  step: PaymentStep;
  /** How much gas it uses. */
  gas: bigint;
  /**
   * Whether `gas` is typical, not measured: the node can estimate a transaction only if it would succeed now, which a
   * payment before its approval, or of more than the payer has, would not. It is then as much as the payment itself
   * reserves: three times the gas of an approval.
   */
  isTypical: boolean;
  /** Its network fee in the next block, with `l1Fee`. */
  fee: bigint;
  /** What a chain of the OP Stack charges for the data in addition to the gas, with 25 % headroom; 0 on other chains. */
  l1Fee: bigint;
}

/** What the payer lacks. */
export interface MissingFunds {
  /** The token, or the symbol of the chain's own coin. */
  asset: string;
  /** In its smallest unit. */
  amount: bigint;
}

/** What a payment would cost. */
export interface PaymentEstimate {
  /** The currency of `amount`. */
  token: PaymentToken;
  /** In the token's smallest unit. */
  amount: bigint;
  /** How many digits of `amount` are after the decimal point. */
  decimals: number;
  /** The payer's address, lower-case. */
  from: string;
  /** Of the chain's own coin, in which fees are paid. */
  symbol: string;
  /** The transactions, in order; the last one pays. */
  steps: [EstimatedStep, ...EstimatedStep[]];
  /** Network fees of all steps in the next block, in the smallest unit of the chain's own coin. */
  fee: bigint;
  /** The most that network fees may come to, which the balance must cover: a `maxFee` below it may be refused. */
  maxFee: bigint;
  /** What the payment takes of the chain's own coin: `fee`, and the amount if that is in the coin. */
  total: bigint;
  /** In US dollars: exact decimal strings. Absent if the price service has no price of the coin. */
  usd?: {
    /** The payment without fees. */
    amount: string;
    /** Network fees of all steps. */
    fee: string;
    /** Both together. */
    total: string;
  };
  /** Whether the balances cover the amount and `maxFee`. */
  isAffordable: boolean;
  /** What they lack, of the token and of the coin. */
  missing: MissingFunds[];
}

/**
 * Implements `estimatePayment`.
 *
 * @throws what `estimatePayment` throws
 */
export async function computeEstimate(
  options: Resolved<typeof orderSchema> & { rpc: readonly string[] | undefined },
  payer: Payer,
): Promise<PaymentEstimate> {
  const order = createOrder(options);
  const { network, token, tokenContract } = order;
  const rpc = connectToNodes(network, options.rpc, options);
  const address = await readPayer(payer, options);
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
  const usd = await computeUsd(order, fee, () => fetchTicker(network.symbol, options));
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
  // The coins of testnets have no price.
  const usdPerCoin = await fetchPrice().catch(ignore("TICKER_FAILED"));
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

/** Who is to pay: what comes first takes precedence. */
export interface Payer {
  address: string | undefined;
  privateKey: string | undefined;
  signer: PaymentSigner | undefined;
}

/**
 * Returns the payer's address, lower-case. Opens no window of a wallet.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `ABORTED`
 */
async function readPayer({ address, privateKey, signer }: Payer, limits: RpcLimits): Promise<string> {
  if (address !== undefined) return address;
  if (privateKey !== undefined) return parsePrivateKey(privateKey).address;
  if (signer === undefined) throw invalidOption("address", "the payer's address, privateKey or signer");
  checkSigner(signer);
  const account = isViemAccount(signer) ? signer : getViemAccount(signer);
  if (account) return payerAddress(account.address);
  if (!isEip1193(signer)) {
    const requestAddress = async (): Promise<unknown> => (signer as TransactionSigner).getAddress();
    return payerAddress(await untilAborted(requestAddress(), limits.signal));
  }
  const provider = signer as Eip1193Provider;
  const wallet = createProviderRpc((method, params) => requestOnce(provider, method, params), limits);
  const accounts = await wallet("eth_accounts", []);
  return payerAddress(Array.isArray(accounts) ? accounts[0] : undefined);
}
