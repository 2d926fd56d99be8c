import { keyringFailed, missingKeyring } from "../../base/errors/journal.ts";
import type { Keyring } from "../types.ts";

/** What is used of `@napi-rs/keyring`. */
interface KeyringPackage {
  AsyncEntry: new (
    service: string,
    account: string,
  ) => {
    getPassword(): Promise<string | null | undefined>;
    setPassword(password: string): Promise<unknown>;
    deletePassword(): Promise<unknown>;
  };
}

const SERVICE = "keeplight";
const PACKAGE: string = "@napi-rs/keyring";

/**
 * Opens the keyring of the operating system, by a package that the user has installed.
 *
 * @throws `UNSUPPORTED`
 */
export async function keyring(): Promise<Keyring> {
  const { AsyncEntry } = await load();

  async function use<T>(work: (entry: InstanceType<typeof AsyncEntry>) => Promise<T>, account: string): Promise<T> {
    try {
      return await work(new AsyncEntry(SERVICE, account));
    } catch (error) {
      throw keyringFailed(error);
    }
  }

  return {
    get: async (account) => (await use((entry) => entry.getPassword(), account)) ?? undefined,
    set: async (account, secret) => void (await use((entry) => entry.setPassword(secret), account)),
    remove: async (account) => void (await use((entry) => entry.deletePassword(), account)),
  };
}

async function load(): Promise<KeyringPackage> {
  try {
    // Bundlers leave it to the user's own installation.
    return await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ PACKAGE);
  } catch (error) {
    throw missingKeyring(error);
  }
}
