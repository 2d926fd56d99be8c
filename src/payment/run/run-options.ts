import type { RpcLimits } from "../../ethereum/json-rpc.ts";
import { resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkAction, checkMaxFee, checkRpc, checkSigner, checkWalletOptions, resolveWait } from "../pay-options.ts";
import { resumePaymentNames } from "../price-options.ts";
import type { ResumePaymentOptions } from "../types.ts";
import type { SenderOptions } from "../wallet/sender.ts";

/** Checked options of a run. */
export interface RunOptions extends SenderOptions, RpcLimits, ReturnType<typeof resolveWait> {
  maxFee: bigint | undefined;
  switchChain: boolean;
}

/** Returns the options with these changes; throws `INVALID_OPTION`. */
export function applyChanges(options: RunOptions, changes: ResumePaymentOptions): RunOptions {
  changes = checkOptions(changes, resumePaymentNames);
  checkAction(changes.action);
  const { confirmations, waitMs, missingMs, pollMs, onProgress } = options;
  const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const { signal, timeoutMs } = resolveCall({ timeoutMs: options.timeoutMs, ...defined });
  const signer =
    changes.signer === undefined
      ? {}
      : { signer: checkSigner(changes.signer), isNewSigner: true, privateKey: undefined };
  const waiting = resolveWait({ confirmations, waitMs, missingMs, pollMs, onProgress, ...defined });
  const rpc = checkRpc(changes.rpc) ?? options.rpc;
  const maxFee = checkMaxFee(changes.maxFee) ?? options.maxFee;
  const { switchChain = options.switchChain } = checkWalletOptions(changes);
  return { ...options, ...signer, ...waiting, rpc, maxFee, switchChain, signal, timeoutMs };
}
