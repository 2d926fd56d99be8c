import { readFile } from "node:fs/promises";
import type { ConditionList } from "keeplight";
import { UsageError } from "../frame/usage-error.ts";

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
