import type { Stats } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Check, invalidOption } from "keeplight/parts";
import { isObject } from "../json-files.ts";
import type { BulkPlan } from "./plan.ts";

/** The most bytes of a file that is looked into. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Bytes of the key file of a journal, and of its copy. */
const KEY_BYTES = new Map([
  ["journal.key", 32],
  ["journal.key.copy", 64],
]);

/**
 * Whether a folder has a plan, a journal, or the state of backups: keys may be in it, which nobody else may have.
 *
 * @param names - of all that the folder has
 */
export async function hasOwnState(folder: string, names: readonly string[]): Promise<boolean> {
  const readNamed = async (name: string) => (names.includes(name) ? await readState(join(folder, name)) : undefined);
  const plan = await readNamed("plan.json");
  if (typeof plan?.["place"] === "string" && typeof plan["encrypted"] === "boolean") return true;
  const repository = await readNamed("repository.json");
  if (typeof repository?.["secret"] === "string" && typeof repository["cid"] === "string") return true;
  // Of the first engine of backups.
  const set = await readNamed("set.json");
  if (typeof set?.["root"] === "string" && Array.isArray(set["snapshots"])) return true;
  const isThere = async (name: string) => {
    const facts = names.includes(name) ? await findFile(join(folder, name)) : undefined;
    return facts !== undefined && (KEY_BYTES.get(name) ?? facts.size) === facts.size;
  };
  const hasHeader = (await isThere("journal.json")) || (await isThere("journal.json.copy"));
  return hasHeader && ((await isThere("journal.key")) || (await isThere("journal.key.copy")));
}

async function findFile(path: string): Promise<Stats | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ? facts : undefined;
}

/** Reads a JSON object with an id of this kit; `undefined` if the file is something else, or larger than any of this kit. */
async function readState(path: string): Promise<Record<string, unknown> | undefined> {
  const facts = await findFile(path);
  if (!facts || facts.size > MAX_BYTES) return undefined;
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isObject(value)) return undefined;
    const { id } = value;
    return typeof id === "string" && /^[0-9a-f]{16,32}$/.test(id) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Paths of files that may have a key of a journal or of backups. */
export const KEY_PATH = /(^|\/)(journal\.key(\.copy)?|repository\.json|set\.json)$/;

/** Whether a file whose path matches {@link KEY_PATH} has such a key. */
export function isOwnKey(path: string): Promise<boolean> {
  const name = basename(path);
  const isOfBackups = name === "repository.json" || name === "set.json";
  return hasOwnState(dirname(path), isOfBackups ? [name] : [name, "journal.json", "journal.json.copy"]);
}

/** The path of a folder, made absolute. */
export const folderPath: Check<string> = (folder, name) => {
  if (typeof folder !== "string" || folder === "") throw invalidOption(name, "the path of a folder");
  return resolve(folder);
};

/** Whether a folder, which need not exist yet, is another one or inside it, whatever links lead to them. */
async function isInside(folder: string, outer: string): Promise<boolean> {
  const place = await identify(outer);
  if (place === undefined) return false;
  for (let path = await toRealPath(folder); ; path = dirname(path)) {
    if ((await identify(path)) === place) return true;
    if (dirname(path) === path) return false;
  }
}

async function identify(path: string): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  return facts && `${facts.dev}:${facts.ino}`;
}

/** Resolves the links of a path whose end need not exist. */
async function toRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await toRealPath(parent), basename(path));
  }
}

/**
 * Throws `INVALID_OPTION` for a folder of a plan or a ledger that is inside the folder whose files are sent: another plan would
 * send what is in it, such as the key of a journal. A manifest names each file itself.
 *
 * @param option - that the folder was passed as
 */
export async function refuseInside(option: string, folder: string, { place, root }: Pick<BulkPlan, "place" | "root">) {
  if (root === undefined || root !== place || !(await isInside(folder, root))) return;
  throw invalidOption(option, `a folder outside of ${root}, whose files are sent (${folder} is inside: move it out)`);
}
