import { readdir, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";

/** A path without symbolic links, as far as it exists. */
const toReal = (path: string) => realpath(path).catch(() => resolve(path));

/**
 * Whether a folder has a plan, a journal, the state of backups, logins or the keystore whose key signs, which nobody else may have:
 * keys may be in it.
 */
export async function hasSecrets({ settings: { keystore } }: Invocation, folder: string): Promise<boolean> {
  if (keystore !== undefined && dirname(await toReal(keystore)) === (await toReal(folder))) return true;
  const { hasOwnState } = await import("keeplight/parts/node");
  // What cannot be listed cannot be sent.
  return hasOwnState(folder, await readdir(folder).catch(() => []));
}

/** Refuses a folder with secrets, and a file that has a key. Throws `SECRET_FILES`. */
export async function refuseSecrets(invocation: Invocation, path: string): Promise<void> {
  const { hasOwnKey } = await import("keeplight/parts/node");
  const { keystore } = invocation.settings;
  const isKeystore = keystore !== undefined && (await toReal(keystore)) === (await toReal(path));
  if (isKeystore || (await hasOwnKey(path)))
    throw new UsageError(`${path} has a key, which must not be sent`, "SECRET_FILES");
  if (!(await hasSecrets(invocation, path))) return;
  const what = "a plan, a journal, the state of backups, logins or a keystore";
  throw new UsageError(`${path} has ${what}, and must not be sent: keys may be in it`, "SECRET_FILES");
}
