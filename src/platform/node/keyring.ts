import { keyringFailed, missingKeyring } from "../../base/errors/journal.ts";
import type { Keyring } from "../types.ts";

/** What is used of `@napi-rs/keyring`. */
interface Entry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<unknown>;
  deletePassword(): Promise<unknown>;
}

const SERVICE = "keeplight";
const PACKAGE: string = "@napi-rs/keyring";

/** Opens it by a package that the user has installed. */
export async function keyring(): Promise<Keyring> {
  const { AsyncEntry } = await load();

  async function use<T>(account: string, work: (entry: Entry) => Promise<T>): Promise<T> {
    try {
      return await work(new AsyncEntry(SERVICE, account));
    } catch (error) {
      throw keyringFailed(error);
    }
  }

  return {
    get: async (account) => (await use(account, (entry) => entry.getPassword())) ?? undefined,
    set: async (account, secret) => void (await use(account, (entry) => entry.setPassword(secret))),
    remove: async (account) => void (await use(account, (entry) => entry.deletePassword())),
  };
}

async function load(): Promise<{ AsyncEntry: new (service: string, account: string) => Entry }> {
  try {
    // Bundlers leave it to the user's own installation.
    return await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ PACKAGE);
  } catch (error) {
    throw missingKeyring(error);
  }
}
