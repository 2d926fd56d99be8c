import { throwIfAborted, untilAborted } from "../../base/async/abort.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { callback, type Operation, resolveOptions, signal } from "../../base/operation.ts";

/** Options of {@link createWallet}. */
export interface CreateWalletOptions {
  /** Ends the call: it rejects within 100 ms with code `ABORTED`. @default none */
  signal?: AbortSignal | undefined;
  /**
   * Receives the progress of the encryption: a fraction from 0 to 1 that never falls; 1 only at its end.
   *
   * @default none
   */
  onProgress?:
    | ((progress: {
        /** From 0 to 1. */
        fraction: number;
      }) => void)
    | undefined;
}

export const createWalletOperation = {
  options: { signal, onProgress: callback<NonNullable<CreateWalletOptions["onProgress"]>>() },
} satisfies Operation<CreateWalletOptions>;

/** A new wallet. */
export interface CreatedWallet {
  /** EVM address, in lower case. */
  address: string;
  /**
   * The private key and its recovery phrase as a keystore (Web3 Secret Storage, version 3): JSON that
   * wallets and `ethers.Wallet.fromEncryptedJson(encryptedWallet, password)` open.
   */
  encryptedWallet: string;
}

/**
 * Creates a new EVM wallet on this machine: nothing is sent. Only the keystore and the password together recover it.
 * Encrypting it takes about a second on purpose (scrypt), in short slices that keep a page responsive.
 *
 * @param password - any non-empty string
 * @throws `INVALID_OPTION`, `ABORTED`
 *
 * @example
 * const { address, encryptedWallet } = await createWallet(password);
 */
export async function createWallet(password: string, options: CreateWalletOptions = {}): Promise<CreatedWallet> {
  const { signal, onProgress } = resolveOptions(createWalletOperation.options, options);
  if (typeof password !== "string" || password === "") throw invalidOption("password", "a non-empty string");
  throwIfAborted(signal);
  const { deriveAccount, encryptKeystore } = await import("./keystore.ts");
  const account = await deriveAccount(crypto.getRandomValues(new Uint8Array(16)));
  const encrypting = encryptKeystore(account, password, (fraction) => {
    throwIfAborted(signal);
    onProgress?.({ fraction });
  });
  return { address: account.address, encryptedWallet: await untilAborted(encrypting, signal) };
}
