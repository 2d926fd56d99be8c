import { randomBytes, scrypt } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Package, UsageError } from "../frame/failure.ts";
import { getStateFolder, writePrivateFile } from "../settings.ts";
import { DEFAULT_PROFILE, toLoginFile } from "./profiles.ts";

/** What a login leaves on the disk: no secret, unless a password seals it. */
export interface StoredLogin {
  version: 1;
  /** Address of the account. */
  address: string;
  /** Whether the keyring of the operating system has the secrets, or `sealed`. */
  store: "keyring" | "sealed";
  /** `LoginSecrets` as JSON. */
  sealed?: SealedSecret | undefined;
  /** Path of the keystore that a login has created. */
  keystore?: string | undefined;
  /** Whether the secrets have no private key: something else signs. */
  signsElsewhere?: true | undefined;
}

export interface LoginSecrets {
  apiKey: string;
  /** Absent if another source signs. */
  privateKey?: string | undefined;
}

/** @param profile - its name */
export async function readLogin(profile: string): Promise<StoredLogin | undefined> {
  const path = join(getStateFolder(), toLoginFile(profile));
  const text = await readFile(path, "utf8").catch(({ code }: NodeJS.ErrnoException) => {
    if (code === "ENOENT") return undefined;
    throw new UsageError(`${path} cannot be read (${code})`, "LOGIN_DAMAGED");
  });
  if (text === undefined) return undefined;
  try {
    const login: unknown = JSON.parse(text);
    if (isLogin(login)) return login;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${path} is damaged`, "LOGIN_DAMAGED", "Remove it, then log in again: keeplight login");
}

function isLogin(parsed: unknown): parsed is StoredLogin {
  const { version, address, store, sealed, keystore } = (parsed ?? {}) as Record<keyof StoredLogin, unknown>;
  const { salt, data } = (sealed ?? {}) as Record<keyof SealedSecret, unknown>;
  const isSealed = store === "sealed" && typeof salt === "string" && typeof data === "string";
  const isKeystoreValid = keystore === undefined || typeof keystore === "string";
  return version === 1 && typeof address === "string" && (isSealed || store === "keyring") && isKeystoreValid;
}

export const writeLogin = (profile: string, login: StoredLogin) =>
  writePrivateFile(toLoginFile(profile), `${JSON.stringify(login, null, 2)}\n`);

/** Removes the login, but no keystore. */
export const removeLogin = (profile: string) => rm(join(getStateFolder(), toLoginFile(profile)), { force: true });

/** Returns the name of the keyring's entry with the API key of a profile. */
export const toApiKeyEntry = (profile: string) => (profile === DEFAULT_PROFILE ? "api-key" : `api-key ${profile}`);

/** A secret that a password opens: scrypt makes the key, the file format of the network encrypts. */
export interface SealedSecret {
  /** Hex. */
  salt: string;
  /** Base64. */
  data: string;
}

const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 ** 2 };

export async function sealSecret(kit: Package, secret: string, password: string): Promise<SealedSecret> {
  const salt = randomBytes(32);
  const sealed = await kit.encryptBytes(new TextEncoder().encode(secret), await deriveKey(password, salt));
  return { salt: salt.toString("hex"), data: Buffer.from(sealed).toString("base64") };
}

/** Decrypts a secret; throws `WRONG_PASSWORD`. */
export async function openSecret(kit: Package, { salt, data }: SealedSecret, password: string): Promise<string> {
  try {
    const key = await deriveKey(password, Buffer.from(salt, "hex"));
    return new TextDecoder().decode(await kit.decryptBytes(new Uint8Array(Buffer.from(data, "base64")), key));
  } catch (error) {
    throw kit.isKeeplightError(error, "CANNOT_DECRYPT") ? wrongPassword() : error;
  }
}

export const wrongPassword = () => new UsageError("The password is wrong", "WRONG_PASSWORD");

function deriveKey(password: string, salt: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, 32, COST, (error, key) =>
      error ? reject(error) : resolve(key.toString("hex")),
    );
  });
}

/** What is used of `@napi-rs/keyring`. */
interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<unknown>;
  deletePassword(): Promise<unknown>;
}

const SERVICE = "keeplight";
const PACKAGE: string = "@napi-rs/keyring";

/**
 * Opens the keyring of the operating system by the package that the user has installed; `undefined` if there is none, or it
 * does not work.
 */
export async function openKeyring() {
  let AsyncEntry: new (service: string, account: string) => KeyringEntry;
  try {
    ({ AsyncEntry } = await import(PACKAGE));
    // Without a service behind it, the package fails at the first call.
    await new AsyncEntry(SERVICE, "cli").getPassword();
  } catch {
    return undefined;
  }
  return {
    get: async (name: string) => (await new AsyncEntry(SERVICE, name).getPassword()) ?? undefined,
    set: (name: string, secret: string) => new AsyncEntry(SERVICE, name).setPassword(secret),
    remove: (name: string) => new AsyncEntry(SERVICE, name).deletePassword(),
  };
}
