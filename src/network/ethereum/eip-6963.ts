import { type Eip1193Provider, isEip1193 } from "../../base/validation/signer.ts";

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
