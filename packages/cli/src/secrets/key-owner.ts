import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallOptions } from "keeplight";
import type { Package } from "../frame/failure.ts";
import { getStateFolder, writePrivateFile } from "../settings.ts";

/** Has the accounts of API keys, by hashes of the keys. */
const NAME = "api-keys.json";

/**
 * Finds out which account an API key of the environment is of, by the files that it lists. `undefined` if the account has none, or
 * the network does not say.
 */
export async function findKeyOwner(kit: Package, apiKey: string, call: CallOptions): Promise<string | undefined> {
  const hash = createHash("sha256").update(apiKey).digest("hex");
  const known = await readKnown();
  if (known[hash] !== undefined) return known[hash];
  const owner = await readOwner(kit, apiKey, call);
  if (owner !== undefined) await writePrivateFile(NAME, JSON.stringify({ ...known, [hash]: owner }));
  return owner;
}

async function readOwner(kit: Package, apiKey: string, call: CallOptions): Promise<string | undefined> {
  try {
    for await (const { publicKey } of kit.iterateFiles({ ...call, apiKey })) return publicKey || undefined;
  } catch (error) {
    // What needs the network reports that itself.
    if (call.signal?.aborted) throw error;
  }
  return undefined;
}

async function readKnown(): Promise<Record<string, string>> {
  try {
    return Object(JSON.parse(await readFile(join(getStateFolder(), NAME), "utf8")));
  } catch {
    return {};
  }
}
