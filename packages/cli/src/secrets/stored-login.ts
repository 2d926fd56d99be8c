import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../frame/usage-error.ts";
import { getStateFolder, makeStateFolder } from "../settings/folders.ts";
import type { SealedSecret } from "./sealed-file.ts";

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
}

/** The secrets of a login. */
export interface LoginSecrets {
  apiKey: string;
  /** Absent if another source signs. */
  privateKey?: string | undefined;
}

const NAME = "login.json";

/** Reads the login, if there is one. */
export async function readLogin(): Promise<StoredLogin | undefined> {
  const path = join(getStateFolder(), NAME);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new UsageError(`${path} cannot be read (${code})`, { code: "LOGIN_DAMAGED" });
  }
  try {
    const login: unknown = JSON.parse(text);
    if (isLogin(login)) return login;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${path} is damaged`, {
    code: "LOGIN_DAMAGED",
    hint: "Remove it, then log in again: keeplight login",
  });
}

function isLogin(parsed: unknown): parsed is StoredLogin {
  const { version, address, store, sealed, keystore } = (parsed ?? {}) as Record<keyof StoredLogin, unknown>;
  const { salt, data } = (sealed ?? {}) as Record<keyof SealedSecret, unknown>;
  const hasSecrets =
    store === "keyring" || (store === "sealed" && typeof salt === "string" && typeof data === "string");
  return (
    version === 1 &&
    typeof address === "string" &&
    hasSecrets &&
    (keystore === undefined || typeof keystore === "string")
  );
}

/** Writes the login: whole or not at all. */
export async function writeLogin(login: StoredLogin): Promise<void> {
  await writePrivateFile(NAME, `${JSON.stringify(login, null, 2)}\n`);
}

/** Removes the login, but no keystore. */
export async function removeLogin(): Promise<void> {
  await rm(join(getStateFolder(), NAME), { force: true });
}

/** Writes a file of mode 0600 to the folder of the state: whole or not at all. Returns its path. */
export async function writePrivateFile(name: string, text: string): Promise<string> {
  const path = join(await makeStateFolder(), name);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return path;
}
