import { env } from "node:process";
import type { Eip1193Provider, Signer } from "keeplight";
import { type Package, UsageError } from "../frame/failure.ts";
import type { Settings } from "../settings.ts";
import { findKeyOwner } from "./key-owner.ts";
import type { Profile } from "./profiles.ts";
import { askSecret, readStdinLine } from "./prompt.ts";
import {
  checkPrivateKey,
  createCommandProvider,
  createCommandSigner,
  once,
  openKeystore,
  readKeystoreAddress,
} from "./signers.ts";
import { type LoginSecrets, openKeyring, openSecret, readLogin, toApiKeyEntry } from "./stored-login.ts";

/** Where the account comes from. */
type SignerSource = "stdin" | "command" | "environment" | "keystore" | "login";

/** What signs: a private key, or the signer command. */
type SigningSecret =
  | { privateKey: string; provider?: undefined }
  | { provider: Eip1193Provider; privateKey?: undefined };

export type FoundSigner = { source: SignerSource } & SigningSecret;

interface Sources {
  secrets: EnvironmentSecrets;
  profile: Profile;
  settings: Settings;
  /** Whether standard input has the private key. */
  readsKey: boolean;
  load(): Promise<Package>;
  signal: AbortSignal;
}

const NO_PASSWORD = "Set KEEPLIGHT_PASSWORD, or use a terminal.";

/** A signer that asks nobody. */
interface QuietSigner extends Signer {
  /** Whether it was asked to sign, and somebody would have had to be asked. */
  isLocked(): boolean;
}

/** The account that a command acts for. */
export type Account = ReturnType<typeof createAccount>;

/** Creates the account of one run. Every secret is looked up when it is needed, and at most once. */
export function createAccount({ secrets: given, profile, settings, readsKey, load, signal }: Sources) {
  const secrets = profile.isNamed ? { ...given, apiKey: undefined } : given;
  let isUnlocked = false;
  /** One password opens all that this run opens: the login, or the keystore instead of it. */
  const password = once(async (message: string) => {
    const typed = secrets.password ?? (await askSecret(message, NO_PASSWORD, signal));
    isUnlocked = true;
    return typed;
  });
  const loginPassword = () => password("Password of this login");
  const login = once(() => readLogin(profile.name));

  const loginSecrets = once(async (): Promise<LoginSecrets | undefined> => {
    const stored = await login();
    if (!stored) return undefined;
    if (stored.store === "sealed" && stored.sealed) {
      const opened = await openSecret(await load(), stored.sealed, await loginPassword());
      return JSON.parse(opened) as LoginSecrets;
    }
    const keyring = await openKeyring();
    const apiKey = await keyring?.get(toApiKeyEntry(profile.name));
    if (!keyring || !apiKey) {
      const hint =
        "Is @napi-rs/keyring installed beside @keeplight/cli, and the keyring unlocked? Or log in again: keeplight login";
      throw new UsageError("The keyring does not have this login", "LOGIN_DAMAGED", hint);
    }
    return { apiKey, privateKey: await keyring.get(`private-key ${stored.address}`) };
  });

  const command = env["KEEPLIGHT_SIGNER_COMMAND"] ?? "";
  const { keystore: path = "" } = settings;
  const toKey = (key = "", source: string) => ({ privateKey: checkPrivateKey(key, source) });
  /** What may sign instead of the login: the first that is set does. */
  const sources: readonly [source: SignerSource, isSet: boolean, find: () => Promise<SigningSecret>][] = [
    ["stdin", readsKey, async () => toKey(await readStdinLine("The private key", signal), "Standard input")],
    ["command", command !== "", async () => ({ provider: createCommandProvider(command, signal) })],
    ["environment", secrets.privateKey !== undefined, async () => toKey(secrets.privateKey, "KEEPLIGHT_PRIVATE_KEY")],
    [
      "keystore",
      path !== "",
      async () => ({ privateKey: await openKeystore(path, await password(`Password of ${path}`)) }),
    ],
  ];
  const [outside, , findOutside] = sources.find(([, isSet]) => isSet) ?? [];

  const findOutsideLogin = once(async (): Promise<FoundSigner | undefined> => {
    return outside && findOutside && { source: outside, ...(await findOutside()) };
  });

  /** Finds the private key that the login keeps, or that its keystore has. */
  const findInLogin = once(async (): Promise<FoundSigner | undefined> => {
    const keystore = (await login())?.keystore;
    const privateKey = keystore
      ? await openKeystore(keystore, await loginPassword())
      : (await loginSecrets())?.privateKey;
    return privateKey ? { source: "login", privateKey } : undefined;
  });

  /** Finds what signs. Throws `NO_SIGNER`. */
  const find = once(async (): Promise<FoundSigner> => {
    const found = (await findOutsideLogin()) ?? (await findInLogin());
    if (found) return found;
    const hint =
      "Log in (keeplight login), or set KEEPLIGHT_SIGNER_COMMAND, KEEPLIGHT_PRIVATE_KEY or KEEPLIGHT_KEYSTORE.";
    throw new UsageError("This command signs, and there is nothing to sign with", "NO_SIGNER", hint);
  });

  const signer = once(async () => toSigner(await find()));

  /** Throws `NO_API_KEY`. */
  async function apiKey(): Promise<string> {
    const found = secrets.apiKey ?? (await loginSecrets())?.apiKey;
    if (found) return found;
    const { name, isNamed } = profile;
    if (isNamed)
      throw new UsageError(`The profile ${name} is not logged in`, "NO_API_KEY", `keeplight login --profile ${name}`);
    throw new UsageError("There is no API key", "NO_API_KEY", "Log in (keeplight login), or set KEEPLIGHT_API_KEY.");
  }

  /** What signs for the account of the API key. Throws `NO_SIGNER`, `ACCOUNT_MISMATCH`. */
  async function ownSigner(): Promise<Signer> {
    const own = await signer();
    const address = await own.getAddress();
    if (secrets.apiKey) {
      const { endpoints } = settings;
      const owner = await findKeyOwner(await load(), secrets.apiKey, { endpoints, signal });
      if (owner !== undefined) refuseOtherAccount("KEEPLIGHT_API_KEY", owner, address);
    } else {
      const stored = await login();
      if (stored) refuseOtherAccount("The login", stored.address, address);
    }
    return own;
  }

  const hasPassword = () => isUnlocked || secrets.password !== undefined;

  /** Whether something can be signed although nobody is asked for anything. */
  async function canSignQuietly(): Promise<boolean> {
    if (outside === "environment") return true;
    if (outside === "keystore") return hasPassword();
    const stored = outside ? undefined : await login();
    return stored !== undefined && (hasPassword() || (stored.store === "keyring" && !stored.keystore));
  }

  /** Returns the address of what would sign, if nobody has to be asked for it. */
  async function findAddress(): Promise<string | undefined> {
    if (outside === "environment") return (await signer()).getAddress();
    if (outside === "keystore") return (await readKeystoreAddress(path)) ?? undefined;
    return (await login())?.address;
  }

  return {
    ...{ secrets, profile, login, loginPassword, find, findOutsideLogin, findInLogin, signer, ownSigner, apiKey },
    /** Where the next signature would come from, without opening anything. */
    async getSource(): Promise<SignerSource | undefined> {
      const stored = outside ? undefined : await login();
      return outside ?? (stored && !stored.signsElsewhere ? "login" : undefined);
    },
    /**
     * What signs for the account of the login, if that is in use, unless somebody would have to be asked for it: such a signer
     * knows its address only, and is locked once it was asked to sign. `undefined` without even an address, or with another
     * account's.
     */
    async quietSigner(): Promise<QuietSigner | undefined> {
      const address = await findAddress();
      const stored = secrets.apiKey ? undefined : await login();
      if (!address || (stored && stored.address.toLowerCase() !== address.toLowerCase())) return undefined;
      let isLocked = false;
      return {
        isLocked: () => isLocked,
        getAddress: async () => address,
        async signMessage(message) {
          isLocked = !(await canSignQuietly());
          if (isLocked) throw new UsageError("Nothing can be signed unless somebody is asked", "NO_SIGNER");
          return (await signer()).signMessage(message);
        },
      };
    },
    /** The API key and what signs, both of one account. Throws `NO_API_KEY`, `NO_SIGNER`, `ACCOUNT_MISMATCH`. */
    owner: async () => ({ apiKey: await apiKey(), signer: await ownSigner() }),
    /** The API key, if nobody has to be asked for a password. */
    async tryApiKey(): Promise<string | undefined> {
      if (secrets.apiKey) return secrets.apiKey;
      const stored = await login();
      const isOpen = stored?.store === "keyring" || hasPassword();
      // The password may be another keystore's.
      return stored && isOpen ? (await loginSecrets().catch(() => undefined))?.apiKey : undefined;
    },
  };
}

/** Files stored by one account under keys of another could be opened by neither from its own listing. */
function refuseOtherAccount(what: string, account: string, signer: string): void {
  if (account.toLowerCase() === signer.toLowerCase()) return;
  const hint = `Log in as ${signer} (keeplight login --profile <name>), set its KEEPLIGHT_API_KEY, or sign as ${account}.`;
  throw new UsageError(`${what} is of ${account}, and ${signer} would sign`, "ACCOUNT_MISMATCH", hint);
}

export async function toSigner(found: FoundSigner): Promise<Signer> {
  if (found.provider) return createCommandSigner(found.provider);
  const { createKeySigner } = await import("keeplight/parts");
  return createKeySigner(found.privateKey);
}

export type EnvironmentSecrets = ReturnType<typeof takeSecrets>;

/** Takes the secrets out of the environment, so that no child process inherits them. */
export function takeSecrets() {
  const take = (variable: string): string | undefined => {
    const value = env[variable] || undefined;
    delete env[variable];
    return value;
  };
  return {
    apiKey: take("KEEPLIGHT_API_KEY"),
    privateKey: take("KEEPLIGHT_PRIVATE_KEY"),
    password: take("KEEPLIGHT_PASSWORD"),
    identity: take("KEEPLIGHT_IDENTITY"),
  };
}
