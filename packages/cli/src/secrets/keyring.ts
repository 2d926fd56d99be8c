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

/** The keyring of the operating system, by name of what is kept. */
export interface CliKeyring {
  get(name: string): Promise<string | undefined>;
  set(name: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Opens the keyring by the package that the user has installed; `undefined` if there is none, or it does not work. */
export async function openKeyring(): Promise<CliKeyring | undefined> {
  let AsyncEntry: KeyringPackage["AsyncEntry"];
  try {
    ({ AsyncEntry } = (await import(PACKAGE)) as KeyringPackage);
    // Without a service behind it, the package fails at the first call.
    await new AsyncEntry(SERVICE, "cli").getPassword();
  } catch {
    return undefined;
  }
  return {
    get: async (name) => (await new AsyncEntry(SERVICE, name).getPassword()) ?? undefined,
    set: async (name, secret) => void (await new AsyncEntry(SERVICE, name).setPassword(secret)),
    remove: async (name) => void (await new AsyncEntry(SERVICE, name).deletePassword()),
  };
}
