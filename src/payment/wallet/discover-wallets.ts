import { wait } from "../../base/async/abort.ts";
import { signal, wholeNumber } from "../../base/checks.ts";
import { type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type DiscoveredWallet, watchWallets } from "../../network/ethereum/eip-6963.ts";

/** Options of {@link discoverWallets}. */
export interface DiscoverWalletsOptions {
  /** How long wallets have to respond, in milliseconds. @default 100 */
  waitMs?: number | undefined;
  /** Cancels the call, which throws `ABORTED`. @default none */
  signal?: AbortSignal | undefined;
}

const schema = { waitMs: wholeNumber(100), signal } satisfies OptionSchema<DiscoverWalletsOptions>;

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
  const { waitMs, signal } = resolveOptions(schema, options);
  if (typeof window === "undefined") return [];
  const found = new Map<string, DiscoveredWallet>();
  const stop = watchWallets((wallet) => {
    if (!found.has(wallet.uuid)) found.set(wallet.uuid, wallet);
  });
  try {
    await wait(waitMs, signal);
  } finally {
    stop();
  }
  return [...found.values()];
}
