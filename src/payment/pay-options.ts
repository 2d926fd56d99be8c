import { invalidOption } from "../errors/input.ts";
import { wholeNumber } from "../validation/number.ts";
import type { WaitOptions } from "./types.ts";
import { isEip1193, isTransactionSigner, type PaymentSigner } from "./wallet/signer.ts";

// A room of its own: what the entry exports by itself, such as pay.ts, must not be part of what is loaded later.

export const waitOptionNames = "confirmations,waitMs,pollMs,onProgress";
export const resumePaymentNames = ["signal,timeoutMs", waitOptionNames, "rpc,signer,maxFee"] as const;

/** {@link WaitOptions} with the defaults filled in; throws `INVALID_OPTION`. */
export function resolveWait({ confirmations, waitMs, pollMs, onProgress }: WaitOptions) {
  return {
    confirmations: wholeNumber("confirmations", confirmations, 1, 1),
    waitMs: wholeNumber("waitMs", waitMs, 600_000, 1),
    pollMs: wholeNumber("pollMs", pollMs, 2_000, 1),
    onProgress,
  };
}

/** URL of a node, where there is one; throws `INVALID_OPTION`. */
export function checkRpc(rpc: unknown): string | undefined {
  if (rpc === undefined || (typeof rpc === "string" && /^https?:\/\//.test(rpc))) return rpc;
  throw invalidOption("rpc", "an http or https URL");
}

/** The limit of network fees, where there is one; throws `INVALID_OPTION`. */
export function checkMaxFee(maxFee: unknown): bigint | undefined {
  if (maxFee === undefined) return undefined;
  const limit = typeof maxFee === "bigint" || Number.isSafeInteger(maxFee) ? BigInt(maxFee as bigint | number) : -1n;
  if (limit < 0n) throw invalidOption("maxFee", "a whole number of the smallest unit of the chain's coin");
  return limit;
}

/** A signer that payments can be made with; throws `INVALID_OPTION`. */
export function checkSigner(signer: unknown): PaymentSigner {
  if (isEip1193(signer) || isTransactionSigner(signer)) return signer;
  throw invalidOption("signer", "an ethers signer that sends transactions, or a wallet with request()");
}
