import { readFile } from "node:fs/promises";
import type { OpenKitOptions, RecoveryKit } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { askSecret } from "../secrets/prompt.ts";

const NOTHING_TO_OPEN_IT = "Set KEEPLIGHT_IDENTITY or KEEPLIGHT_PASSWORD, or use a terminal.";

/**
 * Opens a recovery kit by what the environment has, by the identity in a file, or by what a person types. Warns about each
 * of its files that could not be read.
 */
export async function openKitOf(invocation: Invocation, path: string): Promise<RecoveryKit> {
  const { load, output, signal } = invocation;
  const { openRecoveryKit } = await load();
  const kit = await openRecoveryKit(path, { signal, ...(await findSecret(invocation)) });
  for (const { file, error } of kit.unread) output.warn(`Not read to its end: ${file}: ${error.message}`);
  return kit;
}

async function findSecret({ account, option, signal }: Invocation): Promise<OpenKitOptions> {
  const { environmentIdentity, environmentPassword } = account;
  const file = option("identity");
  if (file !== undefined) return { identity: await readIdentity(file) };
  if (environmentIdentity !== undefined) return { identity: environmentIdentity };
  const typed =
    environmentPassword ?? (await askSecret("Identity or passphrase of the kit", NOTHING_TO_OPEN_IT, signal));
  return /^AGE-SECRET-KEY-1/i.test(typed) ? { identity: typed } : { passphrase: typed };
}

/** Reads the identity from a file as age-keygen writes it: lines that start with # are comments. */
export async function readIdentity(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code})`, { code: "INVALID_FILE" });
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("#")) ?? "";
}
