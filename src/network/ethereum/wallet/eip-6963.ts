import { wait } from "../../../base/async/abort.ts";
import { type OptionSchema, resolveOptions, signal, wholeNumber } from "../../../base/operation.ts";
import { type Eip1193Provider, isEip1193 } from "../../../base/validation/signer.ts";

/** A wallet that announced itself in this page (EIP-6963). */
export interface DiscoveredWallet {
  /** Identifies the wallet until the page is closed. */
  uuid: string;
  /** Display name. */
  name: string;
  /** Data URL of an image. Show it in an `<img>` only: it may be an SVG with scripts. */
  icon: string;
  /** Reverse domain name of its vendor. */
  rdns: string;
  /** Pass it as `signer`. */
  provider: Eip1193Provider;
}

const ANNOUNCE = "eip6963:announceProvider";
const REQUEST = "eip6963:requestProvider";

/**
 * Requests the wallets of this page to announce themselves, and passes each announcement to `onWallet`: at once, and
 * whenever another wallet is injected. A wallet may announce itself several times.
 *
 * @returns a function that stops listening
 */
export function watchWallets(onWallet: (wallet: DiscoveredWallet) => void): () => void {
  const onAnnounce = (event: Event): void => {
    const wallet = "detail" in event ? readAnnouncement(event.detail) : undefined;
    if (wallet) onWallet(wallet);
  };
  window.addEventListener(ANNOUNCE, onAnnounce);
  window.dispatchEvent(new Event(REQUEST));
  return () => window.removeEventListener(ANNOUNCE, onAnnounce);
}

/** Any script of the page can dispatch the event: announcements that do not follow the standard are ignored. */
function readAnnouncement(detail: unknown): DiscoveredWallet | undefined {
  const { info, provider } = Object(detail) as { info?: unknown; provider?: unknown };
  const { uuid, name, icon, rdns } = Object(info) as Record<string, unknown>;
  if (typeof uuid !== "string" || typeof name !== "string") return undefined;
  if (typeof icon !== "string" || typeof rdns !== "string" || !isEip1193(provider)) return undefined;
  return { uuid, name, icon, rdns, provider };
}

/** Options of {@link discoverWallets}. */
export interface DiscoverWalletsOptions {
  /** How long wallets have to respond, in milliseconds. @default 100 */
  waitMs?: number | undefined;
  /** Cancels the call, which throws `ABORTED`. @default none */
  signal?: AbortSignal | undefined;
}

const discoverSchema = { waitMs: wholeNumber(100), signal } satisfies OptionSchema<DiscoverWalletsOptions>;

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
  const { waitMs, signal } = resolveOptions(discoverSchema, options);
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
