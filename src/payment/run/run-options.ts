import type { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type OptionSchema, oneOf, optional, type Resolved } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import type { RpcLimits } from "../../network/ethereum/json-rpc.ts";
import type { SenderOptions } from "../../network/ethereum/wallet/sender.ts";
import { checkSigner, type PaymentSigner } from "../../network/ethereum/wallet/signer.ts";
import { nodeUrls, payerSchema, type RunningOptions, runningSchema } from "../options.ts";
import type { Payment, PaymentAction } from "../types.ts";

/** What may change when a payment is resumed; payer, payee and amount may not. */
export type ResumePaymentOptions = Pick<CallOptions, "signal" | "timeoutMs"> &
  RunningOptions & {
    /** URL of another node to use, or of several. @default that of the payment */
    rpc?: string | readonly string[] | undefined;
    /**
     * What to do with the open transaction first, unless the chain shows how it ended:
     * - `"speed-up"`: sign it again with higher fees, at the same nonce, so that only one of them can be mined
     * - `"cancel"`: sign a transaction to the payer itself, at the same nonce; if that is mined, the payment throws
     *   `PAYMENT_CANCELLED`, and another call with the `orderId` pays once 64 blocks confirm it
     * - `"give-up"`: request the wallet again. **Only if the user knows that the wallet neither sent the transaction nor
     *   will: otherwise the order is paid twice.** A payment that turns up by then is taken; one that turns up later is in
     *   `duplicates`
     *
     * A wallet's transactions can be sped up and cancelled in the wallet, only those signed here by this option.
     *
     * @default none: continues with the transaction as it is
     */
    action?: PaymentAction | undefined;
    /**
     * Must have the same address: for example, the same wallet after the page was reloaded.
     *
     * @default the payment's own
     */
    signer?: PaymentSigner | undefined;
  };

/** What {@link ResumePaymentOptions} and resuming the payments of a journal have in common. */
export const resumeSchema = {
  signal: callSchema.signal,
  timeoutMs: callSchema.timeoutMs,
  ...runningSchema,
  rpc: nodeUrls,
  signer: payerSchema.signer,
};

export const resumePaymentSchema = {
  ...resumeSchema,
  action: optional(oneOf(["speed-up", "cancel", "give-up"])),
} satisfies OptionSchema<ResumePaymentOptions>;

/**
 * A payment with at least one signed transaction that is not known to be complete. `details.hash` is the latest
 * transaction's, `details.transactions` lists all of them. `resume()` looks them up, rebroadcasts the same signed
 * transaction if the chain lost it, and continues with steps that were never started. It cannot pay twice, not even
 * when called twice.
 */
export type UnfinishedPayment = UnfinishedError<Payment, ResumePaymentOptions>;

export interface RunOptions extends SenderOptions, RpcLimits, Resolved<typeof runningSchema> {
  searchBlocks?: number | undefined;
}

/** Returns the options with these changes; throws `INVALID_OPTION` for a signer that cannot pay. */
export function applyChanges(
  options: RunOptions,
  { signal, signer, ...changes }: Partial<Resolved<typeof resumeSchema>>,
): RunOptions {
  const payer = signer === undefined ? {} : { signer: checkSigner(signer), isNewSigner: true, privateKey: undefined };
  return { ...options, ...changes, ...payer, signal };
}
