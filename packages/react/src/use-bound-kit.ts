import type { Eip1193Provider, KitDefaults } from "keeplight";
import { isFreeWallet } from "keeplight/parts";
import { useEffect, useInsertionEffect, useState } from "react";
import { type BoundKit, bindKit, isBoundTo } from "./bound-kit.ts";
import { firstAccount } from "./eip-1193.ts";
import { useLatest } from "./use-latest.ts";

/** Returns a kit with these options, the same one until they, or the account of their signer, change. */
export function useBoundKit(options: KitDefaults): BoundKit {
  const [state, setState] = useState(() => bindKit(options));
  let bound = state;
  // During rendering, not in an effect: no rendering for one account shows what another one has loaded.
  if (isBoundTo(bound, options) === false) {
    bound = bindKit(options, bound);
    setState(bound);
  }
  const { signer } = options;
  const latest = useLatest(options);

  useInsertionEffect(() => {
    if (signer !== undefined && bound.signer?.compare(signer) === true) bound.signer.follow(signer);
  }, [bound, signer]);

  useEffect(() => {
    const followed = bound.signer;
    if (signer === undefined || !followed) return;
    const previous = followed.latest();
    const isSame = followed.compare(signer);
    if (typeof isSame === "boolean") return;
    // Until it is known whose it is, it signs for the account of before or for none.
    followed.follow(signer);
    void isSame.then((same) => {
      if (same) return;
      followed.follow(previous);
      setState((current) => (current === bound ? bindKit(latest.current) : current));
    });
  }, [bound, signer, latest]);

  useEffect(() => {
    const wallet: Eip1193Provider | undefined = isFreeWallet(signer) ? signer : undefined;
    if (!wallet) return;
    const onAccounts = (accounts: unknown) => {
      const address = bound.signer?.address();
      if (address === undefined || firstAccount(accounts)?.toLowerCase() === address) return;
      setState(bindKit(latest.current));
    };
    wallet.on?.("accountsChanged", onAccounts);
    return () => void wallet.removeListener?.("accountsChanged", onAccounts);
  }, [bound, signer, latest]);

  return bound;
}
