import { untilAborted } from "../../base/async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { paymentRejected, paymentReverted, paymentUnknown, rpcRefused } from "../../base/errors/payment.ts";
import { isRejection, type ProviderError, readProviderError, toSafeCause } from "../../base/errors/provider-error.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import type { Attempt } from "../machine.ts";
import { sendCalls } from "../wallet/calls.ts";
import type { WalletAnswer, WalletSender } from "../wallet/sender.ts";
import { type Context, type StepRequest, toFacts } from "./context.ts";

/** Error codes of a wallet, besides a rejection, by which it sent nothing: unauthorised, unsupported, malformed. */
const NOT_SENT = new Set([4100, 4200, -32600, -32601, -32602]);

/**
 * Error codes of EIP-5792 by which a wallet made no calls, but might send transactions: missing capability, chain not
 * supported, batch too large, upgrade of the account rejected, atomicity not supported.
 */
const CALLS_NOT_SUPPORTED = new Set([...NOT_SENT, 5700, 5710, 5740, 5750, 5760]);

/** The error by which the wallet certainly sent nothing. */
export interface Refusal {
  refusal: KeeplightError;
  /** Whether the wallet may carry out the same as separate transactions. */
  isForCalls: boolean;
}

/**
 * Requests a wallet to send a transaction, or to make several calls in one.
 *
 * @param callsId - names the calls
 */
export async function requestWallet(
  { order }: Pick<Context, "order">,
  sender: WalletSender,
  { approvals = [], to, data, value }: StepRequest,
  callsId: string | undefined,
): Promise<WalletAnswer> {
  const { chainId } = order.network;
  if (callsId !== undefined && sender.prompt) {
    const calls = [...approvals, { to, data, value }];
    return { callsId: await sendCalls(sender.prompt, { from: sender.address, chainId, id: callsId, calls }) };
  }
  const hash: unknown = await sender.send({ chainId, to, data, value });
  if (typeof hash === "string" && /^0x[0-9a-fA-F]{64}$/.test(hash)) return { hash: hash.toLowerCase() };
  throw rpcRefused("eth_sendTransaction", { code: undefined, message: "it returned no hash", data: undefined });
}

/**
 * Waits for the wallet's response, for as long as its window is open. Returns it, or the error by which the wallet
 * certainly sent nothing.
 *
 * @throws `PAYMENT_UNKNOWN` if the wallet failed but may have sent it; `ABORTED`
 */
export async function waitForWallet(
  context: Context,
  attempt: Attempt,
  response: Promise<WalletAnswer>,
): Promise<WalletAnswer | Refusal> {
  try {
    return await untilAborted(response, context.signal);
  } catch (error) {
    if (isKeeplightError(error) && error.code === "ABORTED") throw error;
    const walletError = readProviderError(error);
    const refusal = toRefusal(attempt, walletError);
    if (refusal) return refusal;
    throw paymentUnknown(toFacts(context, attempt), toSafeCause(walletError));
  }
}

function toRefusal({ step, callsId }: Attempt, walletError: ProviderError): Refusal | undefined {
  const { code = 0, data } = walletError;
  const isForCalls = callsId !== undefined && CALLS_NOT_SUPPORTED.has(code);
  if (!isForCalls && (code === 3 || data !== undefined)) {
    const cause = rpcRefused("eth_sendTransaction", walletError);
    return { refusal: paymentReverted({ step }, readRevertData(cause), cause), isForCalls };
  }
  const isSure = isForCalls || isRejection(walletError) || NOT_SENT.has(code);
  return isSure ? { refusal: paymentRejected(step, toSafeCause(walletError)), isForCalls } : undefined;
}
