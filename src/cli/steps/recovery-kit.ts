import { readFile } from "node:fs/promises";
import type { RecoveryKit } from "../../index.ts";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { askSecret } from "../secrets/prompt.ts";

const NOTHING_TO_OPEN_IT = "Set KEEPLIGHT_IDENTITY or KEEPLIGHT_PASSWORD, or use a terminal.";

/** Opens a recovery kit by what the environment has, by the identity in a file, or by what a person types. */
export async function openKitOf({ load, account, option, signal }: Invocation, path: string): Promise<RecoveryKit> {
  const { openRecoveryKit } = await load();
  const { environmentIdentity, environmentPassword } = account;
  const file = option("identity");
  if (file !== undefined) return openRecoveryKit(path, { signal, identity: await readIdentity(file) });
  if (environmentIdentity !== undefined) return openRecoveryKit(path, { signal, identity: environmentIdentity });
  const typed =
    environmentPassword ?? (await askSecret("Identity or passphrase of the kit", NOTHING_TO_OPEN_IT, signal));
  const isIdentity = /^AGE-SECRET-KEY-1/i.test(typed);
  return openRecoveryKit(path, isIdentity ? { signal, identity: typed } : { signal, passphrase: typed });
}

/** Reads the identity from a file as age-keygen writes it: lines that start with # are comments. */
export async function readIdentity(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code})`, { code: "INVALID_FILE" });
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("#")) ?? "";
}
