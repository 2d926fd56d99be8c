import { Transaction } from "ethers/transaction";
import { throwIfAborted, untilAborted } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/queue.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { isRejection, type ProviderError, readProviderError, toSafeCause } from "../../base/errors/nodes.ts";
import { paymentAboveLimit, paymentRejected, rpcRefused } from "../../base/errors/payment.ts";
import { createId } from "../../base/streams/bytes.ts";
import { isNodeError } from "../../network/ethereum/json-rpc.ts";
import { toSendingOnly, type WalletAnswer } from "../../network/ethereum/wallet/sender.ts";
import { sendCalls } from "../../network/ethereum/wallet/wallet-requests.ts";
import type { Attempt, Entry, Failure, SignedTransaction, State } from "../machine.ts";
import type { PaymentStep } from "../types.ts";
import type { Context, StepRequest } from "./context.ts";
import { boundFee, capGasToBalance, checkFee, EXTRA_GAS, type StepCost } from "./gas.ts";
import type { PayerAccount } from "./look-up-order.ts";
import { checkChain } from "./next-step.ts";

/** An attempt that was made: its entry is to be recorded before `handOver` lets anyone else see it. */
export interface MadeAttempt {
  entry: Extract<Entry, { type: "signed" | "asked" }>;
  /** Requests a wallet to send it; nothing is left to request of a signer. */
  handOver: (() => Promise<WalletAnswer>) | undefined;
}

/**
 * Makes an attempt at a step: signs its transaction, or prepares what a wallet is to send.
 *
 * @param account - as it was read before the chain was searched for the order
 * @param state - the payment's attempts so far
 * @throws `PAYMENT_ABOVE_LIMIT`, `ORDER_EXPIRED`, `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `PAYMENT_REJECTED`,
 * `INVALID_SIGNATURE`, `WRONG_CHAIN`; what {@link Rpc} throws
 */
export async function makeAttempt(
  context: Context,
  request: StepRequest,
  { fromBlock, nextNonce }: PayerAccount,
  state: State,
): Promise<MadeAttempt> {
  const { sender, order, maxAmount = order.amount } = context;
  if (order.amount > maxAmount) throw paymentAboveLimit(order.amount, maxAmount);
  if (order.expiresAt !== undefined && Date.now() >= order.expiresAt) {
    const expiresAt = new Date(order.expiresAt).toISOString();
    throw new KeeplightError("ORDER_EXPIRED", `The order has expired at ${expiresAt}: request a new one`, {
      details: { expiresAt },
    });
  }
  const first = request.approvals?.[0] ?? request;
  const committed = sumFees(state);
  const [, cost] = await allInOrder([
    sender.sign ? undefined : checkChain(context),
    capGasToBalance(context, first, committed),
  ]);
  const attempt = state.length;
  const { step, to, data, value } = request;
  // A lagging node may not know the previous step yet.
  const minNonce = Math.max(-1, ...state.map(({ nonce = -1 }) => nonce)) + 1;
  const nonce = Math.max(nextNonce, minNonce);
  const facts = { attempt, step, to, data, value: String(value), fromBlock, nextNonce: nonce };
  context.report(step, "signing");
  if (!sender.sign) {
    const callsId = request.approvals && `0x${createId()}${createId()}`;
    const worstCaseFee = first === request ? cost.gasLimit * cost.fees.perGas + cost.l1Fee : boundFee(first.step, cost);
    return {
      entry: { type: "asked", ...facts, worstCaseFee: String(worstCaseFee), callsId },
      handOver: () => requestWallet(context, request, callsId),
    };
  }
  // Unlike any other transaction, whatever another process signs at this nonce.
  const gasLimit = cost.gasLimit - BigInt(randomBelow(EXTRA_GAS));
  const signed = await sign(context, sender.sign, { ...request, nonce }, { cost: { ...cost, gasLimit }, committed });
  return { entry: { type: "signed", ...facts, nonce, ...signed }, handOver: undefined };
}

function randomBelow(limit: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return random % limit;
}

const COST_NOTHING: ReadonlySet<Attempt["end"]> = new Set(["refused", "given-up", "displaced"]);

/** The most that these attempts can cost in fees. */
export function sumFees(state: State): bigint {
  const paying = state.filter(({ end }) => !COST_NOTHING.has(end));
  return paying.reduce((sum, { worstCaseFee }) => sum + BigInt(worstCaseFee), 0n);
}

export type SigningCost = Pick<StepCost, "gasLimit" | "l1Fee"> & { fees: Pick<StepCost["fees"], "fields"> };

export async function sign(
  context: Context,
  signIt: NonNullable<Context["sender"]["sign"]>,
  request: StepRequest & { nonce: number },
  { cost, committed }: { cost: SigningCost; committed: bigint },
): Promise<{ hash: string; raw: string; worstCaseFee: string }> {
  const { order, sender, signal } = context;
  const { step, to, data, value, nonce } = request;
  const { chainId } = order.network;
  const fields = { ...cost.fees.fields, gasLimit: cost.gasLimit, chainId, nonce, to, data, value };
  const signing = Promise.resolve().then(() => signIt(fields));
  const raw = await untilAborted(signing, signal).catch((error: unknown) => {
    if (isKeeplightError(error) || toSendingOnly(sender, error)) throw error;
    throw paymentRejected(step, toSafeCause(readProviderError(error)));
  });
  throwIfAborted(signal);
  const { hash, gasFee } = checkSigned(raw, request, sender.address, chainId);
  const worstCaseFee = gasFee + cost.l1Fee;
  checkFee(context, step, committed + worstCaseFee);
  return { hash, raw, worstCaseFee: String(worstCaseFee) };
}

/**
 * Checks that an external signer signed the requested transaction. Its fees may differ and are returned. Transaction
 * types above 2 are refused: they could cost more than gas, or do more than requested.
 */
function checkSigned(raw: string, request: StepRequest & { nonce: number }, from: string, chainId: number) {
  let signed: Transaction | undefined;
  try {
    signed = Transaction.from(raw);
  } catch {
    // Not a transaction: refused below.
  }
  const same =
    signed?.from?.toLowerCase() === from &&
    signed.to?.toLowerCase() === request.to.toLowerCase() &&
    signed.data === request.data &&
    signed.value === request.value &&
    signed.nonce === request.nonce &&
    signed.chainId === BigInt(chainId) &&
    (signed.type ?? 0) <= 2;
  const perGas = signed?.maxFeePerGas ?? signed?.gasPrice;
  if (!same || !signed?.hash || typeof perGas !== "bigint") {
    throw new KeeplightError("INVALID_SIGNATURE", "The signer signed another transaction than the requested one", {
      details: { step: request.step },
    });
  }
  return { hash: signed.hash, gasFee: signed.gasLimit * perGas };
}

/**
 * Sends a signed transaction, for the first time or again. If the response is lost, or reports that the transaction is
 * known or its nonce used, the caller finds out by polling the chain.
 *
 * @throws `RPC_REFUSED`, `ABORTED`
 */
export async function broadcast(context: Context, step: PaymentStep, { raw, hash }: SignedTransaction): Promise<void> {
  try {
    await context.rpc("eth_sendRawTransaction", [raw]);
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    if (error.code === "RPC_REFUSED" && !isNodeError(error, "nonceTaken")) throw error;
  } finally {
    context.sender.onBroadcast?.();
  }
  context.report(step, "sent", hash);
}

/**
 * Requests a wallet to send a transaction, or to make several calls in one.
 *
 * @param callsId - names the calls
 */
async function requestWallet(
  { order, sender }: Pick<Context, "order" | "sender">,
  { approvals = [], to, data, value }: StepRequest,
  callsId: string | undefined,
): Promise<WalletAnswer> {
  const { chainId } = order.network;
  if (callsId !== undefined && sender.prompt) {
    const calls = [...approvals, { to, data, value }];
    return { callsId: await sendCalls(sender.prompt, { from: sender.address, chainId, id: callsId, calls }) };
  }
  const hash: unknown = await sender.send?.({ chainId, to, data, value });
  if (typeof hash === "string" && /^0x[0-9a-fA-F]{64}$/.test(hash)) return { hash: hash.toLowerCase() };
  throw rpcRefused("eth_sendTransaction", { code: undefined, message: "it returned no hash", data: undefined });
}

/**
 * Error codes by which a wallet says that it cannot make several calls in one, but might send transactions: unauthorised,
 * unsupported, malformed; of EIP-5792: missing capability, chain not supported, batch too large, upgrade of the account
 * rejected, atomicity not supported.
 */
const CALLS_NOT_SUPPORTED = new Set([4100, 4200, -32600, -32601, -32602, 5700, 5710, 5740, 5750, 5760]);

/** Reads how a wallet failed. None of it proves that nothing was sent. */
export function readFailure({ callsId }: Pick<Attempt, "callsId">, error: ProviderError): Failure {
  if (isRejection(error)) return "rejected";
  return callsId !== undefined && CALLS_NOT_SUPPORTED.has(error.code ?? 0) ? "unsupported" : "unknown";
}
