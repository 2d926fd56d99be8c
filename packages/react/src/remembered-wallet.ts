const KEY = "keeplight.wallet";

/** Returns the id of the wallet that this site was connected to last, if it may be reconnected. */
export function readRememberedWallet(): string | undefined {
  return withStorage((storage) => storage.getItem(KEY) ?? undefined);
}

/** Remembers a wallet for the next visit; `undefined` forgets it. */
export function rememberWallet(id: string | undefined): void {
  withStorage((storage) => (id === undefined ? storage.removeItem(KEY) : storage.setItem(KEY, id)));
}

/** A page may be denied its storage: then nothing is remembered. */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
