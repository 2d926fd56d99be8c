import type { Signer } from "keeplight";

/** A signer, and whether its wallet is asked to sign. */
export interface WatchedSigner {
  /** The same account. */
  signer: Signer;
  /** Calls `listener` when the wallet is asked, and when it has responded; returns how to unsubscribe. */
  subscribe(listener: () => void): () => void;
  isSigning(): boolean;
}

/** Watches what a signer is asked to sign. */
export function watchSigner(signer: Signer): WatchedSigner {
  const listeners = new Set<() => void>();
  let pending = 0;

  function change(by: 1 | -1): void {
    pending += by;
    for (const listener of listeners) listener();
  }

  const watched: Signer = Object.assign(Object.create(signer) as Signer, {
    async signMessage(message: string): Promise<string> {
      change(1);
      try {
        return await signer.signMessage(message);
      } finally {
        change(-1);
      }
    },
  });
  return {
    signer: watched,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isSigning: () => pending > 0,
  };
}
