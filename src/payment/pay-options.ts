import { invalidOption } from "../errors/input.ts";
import { checkBoolean } from "../validation/boolean.ts";
import { isEip1193 } from "../validation/eip-1193.ts";
import { wholeNumber } from "../validation/number.ts";
import type { WaitOptions, WalletOptions } from "./types.ts";
import { isTransactionSigner, type PaymentSigner } from "./wallet/signer.ts";
import { isViemAccount } from "./wallet/viem.ts";

/** Fills in the defaults of {@link WaitOptions}, except the network's `confirmations`; throws `INVALID_OPTION`. */
export function resolveWait({ confirmations, waitMs, missingMs, pollMs, onProgress }: WaitOptions) {
  return {
    confirmations: confirmations === undefined ? undefined : wholeNumber("confirmations", confirmations, 1, 1),
    waitMs: wholeNumber("waitMs", waitMs, 600_000, 1),
    missingMs: wholeNumber("missingMs", missingMs, 90_000, 1),
    pollMs: wholeNumber("pollMs", pollMs, 2_000, 1),
    onProgress,
  };
}

/** Checks the URLs of nodes, if there are any; throws `INVALID_OPTION`. */
export function checkRpc(rpc: unknown): string[] | undefined {
  if (rpc === undefined) return undefined;
  const urls: unknown[] = Array.isArray(rpc) ? rpc : [rpc];
  if (urls.length > 0 && urls.every((url) => typeof url === "string" && /^https?:\/\//.test(url)))
    return [...urls] as string[];
  throw invalidOption("rpc", "an http or https URL, or a list of them");
}

/** Checks the limit of network fees, if there is one; throws `INVALID_OPTION`. */
export function checkMaxFee(maxFee: unknown): bigint | undefined {
  if (maxFee === undefined) return undefined;
  const limit = typeof maxFee === "bigint" || Number.isSafeInteger(maxFee) ? BigInt(maxFee as bigint | number) : -1n;
  if (limit < 0n) throw invalidOption("maxFee", "a whole number of the smallest unit of the chain's coin");
  return limit;
}

/** Checks what a wallet may be requested to do; throws `INVALID_OPTION`. */
export function checkWalletOptions({ switchChain }: WalletOptions): WalletOptions {
  checkBoolean("switchChain", switchChain);
  return { switchChain };
}

/** Checks what is requested for an open transaction; throws `INVALID_OPTION`. */
export function checkAction(action: unknown): void {
  if (action === undefined || action === "speed-up" || action === "cancel" || action === "give-up") return;
  throw invalidOption("action", '"speed-up", "cancel" or "give-up"');
}

/** Checks that `signer` can make payments; throws `INVALID_OPTION`. */
export function checkSigner(signer: unknown): PaymentSigner {
  if (isEip1193(signer) || isTransactionSigner(signer) || isViemAccount(signer)) return signer;
  throw invalidOption(
    "signer",
    "a signer of ethers that sends transactions, an account of viem, or a wallet with request()",
  );
}
