import { readdir } from "node:fs/promises";
import { UsageError } from "../frame/failure.ts";

/** Whether a folder has a plan, a journal, the state of backups or logins, which nobody else may have: keys may be in it. */
export async function hasSecrets(folder: string): Promise<boolean> {
  const { hasOwnState } = await import("keeplight/parts/node");
  // What cannot be listed cannot be sent.
  return hasOwnState(folder, await readdir(folder).catch(() => []));
}

/** Refuses a folder with secrets, and a file that has a key. Throws `SECRET_FILES`. */
export async function refuseSecrets(path: string): Promise<void> {
  const { hasOwnKey } = await import("keeplight/parts/node");
  if (await hasOwnKey(path)) throw new UsageError(`${path} has a key, which must not be sent`, "SECRET_FILES");
  if (!(await hasSecrets(path))) return;
  const what = "a plan, a journal, the state of backups or logins";
  throw new UsageError(`${path} has ${what}, and must not be sent: keys may be in it`, "SECRET_FILES");
}
