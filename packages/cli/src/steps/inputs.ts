import { readFile } from "node:fs/promises";
import type { ConditionList, NetworkName, OpenKitOptions, PaymentNetwork, RecoveryKit } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { askSecret } from "../secrets/prompt.ts";

/** Reads a whole number of 0 or more that was typed; `undefined` if nothing was. */
export function readWhole(option: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  if (/^\d{1,15}$/.test(typed)) return Number(typed);
  throw new UsageError(`${option} takes a whole number of 0 or more`);
}

/** The same, of any size. */
export function readBig(option: string, typed: string | undefined): bigint | undefined {
  if (typed === undefined) return undefined;
  if (/^\d{1,78}$/.test(typed)) return BigInt(typed);
  throw new UsageError(`${option} takes a whole number of 0 or more`);
}

/** Returns the chain of `--network`: a row of the configuration, or else a name that the package checks. */
export function findNetwork({ option, settings }: Invocation): NetworkName | PaymentNetwork | undefined {
  const name = option("network");
  if (name === undefined) return undefined;
  const rows = settings.networks ?? {};
  return Object.hasOwn(rows, name) ? rows[name] : (name as NetworkName);
}

/** Conditions, as a file has them; the package checks them. */
export type ConditionsOfFile = ConditionList & { aggregator?: string | undefined };

const NAMES = ["conditions", "aggregator", "chainType", "decryptionType"];

/** Reads a JSON file of conditions: a list, or an object with `conditions` and more. */
export async function readConditions(path: string): Promise<ConditionsOfFile> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} ${code ? `cannot be read (${code})` : "is not JSON"}`, { code: "INVALID_FILE" });
  }
  const rule = (Array.isArray(parsed) ? { conditions: parsed } : parsed) as ConditionsOfFile | null;
  if (typeof rule === "object" && rule !== null && Array.isArray(rule.conditions)) {
    const unknown = Object.keys(rule).find((name) => !NAMES.includes(name));
    // Anything else could change where files and tokens are sent.
    if (unknown === undefined) return rule;
    throw new UsageError(`${path} has the unknown field ${unknown}`, { code: "INVALID_FILE" });
  }
  throw new UsageError(`${path} has no list of conditions`, { code: "INVALID_FILE" });
}

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
