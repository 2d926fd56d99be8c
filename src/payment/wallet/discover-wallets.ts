import { wait } from "../../async/abort.ts";
import { type DiscoveredWallet, watchWallets } from "../../ethereum/eip-6963.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { wholeNumber } from "../../validation/number.ts";

/** Options of {@link discoverWallets}. */
export interface DiscoverWalletsOptions {
  /** How long wallets have to respond, in milliseconds. @default 100 */
  waitMs?: number | undefined;
  /** Cancels the call, which throws `ABORTED`. @default none */
  signal?: AbortSignal | undefined;
}

const discoverWalletsNames = "waitMs,signal";

/**
 * Discovers the wallets of this page, each once (EIP-6963). Returns none outside a page.
 *
 * @throws `INVALID_OPTION`, `ABORTED`
 *
 * @example
 * const [wallet] = await discoverWallets();
 * await payWithToken({ token: "usdc", size, signer: wallet.provider });
 */
export async function discoverWallets(options: DiscoverWalletsOptions = {}): Promise<DiscoveredWallet[]> {
  options = checkOptions(options, discoverWalletsNames);
  const waitMs = wholeNumber("waitMs", options.waitMs, 100);
  if (typeof window === "undefined") return [];
  const found = new Map<string, DiscoveredWallet>();
  const stop = watchWallets((wallet) => {
    if (!found.has(wallet.uuid)) found.set(wallet.uuid, wallet);
  });
  try {
    await wait(waitMs, options.signal);
  } finally {
    stop();
  }
  return [...found.values()];
}
