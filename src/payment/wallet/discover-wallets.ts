import { wait } from "../../async/abort.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { wholeNumber } from "../../validation/number.ts";
import { type Eip1193Provider, isEip1193 } from "./signer.ts";

/** A wallet that announced itself in this page. */
export interface DiscoveredWallet {
  /** Of this wallet in this page, as long as it is open. */
  uuid: string;
  /** For people. */
  name: string;
  /** Data URL of a picture. Show it in an `<img>` only: it may be an SVG. */
  icon: string;
  /** Reverse domain name of its maker. */
  rdns: string;
  /** To be passed as `signer`. */
  provider: Eip1193Provider;
}

/** Options of {@link discoverWallets}. */
export interface DiscoverWalletsOptions {
  /** How long wallets have to answer, in milliseconds. Default 100. */
  waitMs?: number | undefined;
  /** Ends the call with `ABORTED`. */
  signal?: AbortSignal | undefined;
}

const discoverWalletsNames = "waitMs,signal";

/**
 * The wallets of this page, each once (EIP-6963). None where there is no page.
 *
 * @throws `INVALID_OPTION`, `ABORTED`
 *
 * @example
 * const [wallet] = await discoverWallets();
 * await payWithToken({ token: "usdc", size, signer: wallet.provider });
 */
export async function discoverWallets(options: DiscoverWalletsOptions = {}): Promise<DiscoveredWallet[]> {
  checkOptions(options, discoverWalletsNames);
  const waitMs = wholeNumber("waitMs", options.waitMs, 100);
  if (typeof window === "undefined") return [];
  const found = new Map<string, DiscoveredWallet>();
  const onAnnounce = (event: Event) => {
    const wallet = readWallet(event);
    if (wallet && !found.has(wallet.uuid)) found.set(wallet.uuid, wallet);
  };
  window.addEventListener("eip6963:announceProvider", onAnnounce);
  try {
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    await wait(waitMs, options.signal);
  } finally {
    window.removeEventListener("eip6963:announceProvider", onAnnounce);
  }
  return [...found.values()];
}

function readWallet(event: Event): DiscoveredWallet | undefined {
  if (!("detail" in event)) return undefined;
  const { info, provider } = (event.detail ?? {}) as { info?: Record<string, unknown>; provider?: unknown };
  if (!isEip1193(provider)) return undefined;
  const { uuid, name, icon, rdns } = info ?? {};
  const texts = { uuid, name, icon, rdns };
  if (!Object.values(texts).every((value) => typeof value === "string")) return undefined;
  return { ...(texts as Record<keyof typeof texts, string>), provider };
}
