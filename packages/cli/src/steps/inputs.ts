import { readFile } from "node:fs/promises";
import type { OpenKitOptions, RecoveryKit } from "@keeplight/recovery";
import type { EvmCondition, NetworkName, PaymentNetwork } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import { type Invocation, toFlag } from "../frame/invocation.ts";
import { askSecret } from "../secrets/prompt.ts";

/** Reads the whole number of an option, if it is set. */
function readNumber<T>(
  { option }: Invocation,
  name: string,
  form: RegExp,
  least: 0 | 1,
  convert: (typed: string) => T,
) {
  const typed = option(name);
  if (typed === undefined || form.test(typed)) return typed === undefined ? undefined : convert(typed);
  throw new UsageError(`${toFlag(name)} takes a whole number of ${least} or more`);
}

export const readWhole = (from: Invocation, name: string) => readNumber(from, name, /^\d{1,15}$/, 0, Number);
/** The same, of any size. */
export const readBig = (from: Invocation, name: string) => readNumber(from, name, /^\d{1,78}$/, 0, BigInt);
/** The same, of 1 or more. */
export const readCount = (from: Invocation, name: string) => readNumber(from, name, /^[1-9]\d{0,8}$/, 1, Number);

/** Returns the chain of `--network`: a row of the configuration, or else a name that the package checks. */
export function findNetwork({ option, settings }: Invocation): NetworkName | PaymentNetwork | undefined {
  const name = option("network");
  if (name === undefined) return undefined;
  const rows = settings.networks ?? {};
  return Object.hasOwn(rows, name) ? rows[name] : (name as NetworkName);
}

/** Conditions, as a file has them; the package checks them, and finds out what they are. */
export interface ConditionsOfFile {
  conditions: EvmCondition[];
  aggregator?: string;
  chainType?: "EVM";
}

const NAMES = ["conditions", "aggregator", "chainType", "decryptionType"];

/** Reads a JSON file of conditions: a list, or an object with `conditions` and more. */
export async function readConditions(path: string): Promise<ConditionsOfFile> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} ${code ? `cannot be read (${code})` : "is not JSON"}`, "INVALID_FILE");
  }
  const rule = (Array.isArray(parsed) ? { conditions: parsed } : parsed) as ConditionsOfFile | null;
  if (typeof rule === "object" && rule !== null && Array.isArray(rule.conditions)) {
    const unknown = Object.keys(rule).find((name) => !NAMES.includes(name));
    // Anything else could change where files and tokens are sent.
    if (unknown === undefined) return rule;
    throw new UsageError(`${path} has the unknown field ${unknown}`, "INVALID_FILE");
  }
  throw new UsageError(`${path} has no list of conditions`, "INVALID_FILE");
}

const NOTHING_TO_OPEN_IT = "Set KEEPLIGHT_IDENTITY or KEEPLIGHT_PASSWORD, or use a terminal.";

/**
 * Opens a recovery kit by what the environment has, by the identity in a file, or by what a person types. Warns about each
 * of its files that could not be read.
 */
export async function openKitOf(invocation: Invocation, path: string): Promise<RecoveryKit> {
  const { output, signal } = invocation;
  const { openRecoveryKit } = await import("@keeplight/recovery");
  const kit = await openRecoveryKit(path, { signal, ...(await findSecret(invocation)) });
  for (const { file, error } of kit.unread) output.warn(`Not read to its end: ${file}: ${error.message}`);
  return kit;
}

async function findSecret(invocation: Invocation): Promise<OpenKitOptions> {
  const identity = await findIdentity(invocation);
  if (identity !== undefined) return { identity };
  const question = "Identity or passphrase of the kit";
  const { password } = invocation.account.secrets;
  const typed = password ?? (await askSecret(question, NOTHING_TO_OPEN_IT, invocation.signal));
  return isIdentity(typed) ? { identity: typed } : { passphrase: typed };
}

const isIdentity = (typed: string) => /^AGE-SECRET-KEY-1/i.test(typed);

/**
 * Returns the age identity of `--identity`, or of the environment. Files are as age-keygen writes them: lines that start with
 * # are comments.
 */
export async function findIdentity({ account, option }: Invocation): Promise<string | undefined> {
  const path = option("identity");
  if (path === undefined) return account.secrets.identity;
  if (isIdentity(path.trim())) {
    const hint = "Set KEEPLIGHT_IDENTITY instead: other programs of this machine see what is typed after a command.";
    throw new UsageError("--identity takes a file: this is the identity itself, a secret", "USAGE", hint);
  }
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code})`, "INVALID_FILE");
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("#")) ?? "";
}
