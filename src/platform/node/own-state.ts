import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isObject } from "../../base/validation/schema.ts";

/** The most bytes of a file that is looked into. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Bytes of the key file of a journal, and of its copy. */
const KEY_BYTES = new Map([
  ["journal.key", 32],
  ["journal.key.copy", 64],
]);

const JOURNAL_HEADERS = ["journal.json", "journal.json.copy"];

/** What is in a JSON file. */
type Fields = Record<string, unknown>;

/** How a JSON file shows that it is one of this kit, by its name. */
const STATE_FILES: readonly [name: RegExp, isOwn: (fields: Fields) => boolean][] = [
  // A plan of a dataset.
  [
    /^plan\.json$/,
    ({ id, place, encrypted }) => isId(id) && typeof place === "string" && typeof encrypted === "boolean",
  ],
  // The state of backups, and that of their first engine.
  [/^repository\.json$/, ({ id, secret, cid }) => isId(id) && typeof secret === "string" && typeof cid === "string"],
  [/^set\.json$/, ({ id, root, snapshots }) => isId(id) && typeof root === "string" && Array.isArray(snapshots)],
  // What the command line keeps: its logins, the keystores that these have created, those of geth, and whose its API keys are.
  [
    /^login(-[a-z0-9][a-z0-9_-]*)?\.json$/,
    ({ address, store }) => typeof address === "string" && (store === "sealed" || store === "keyring"),
  ],
  [
    /^(keystore-0x[0-9a-f]{40}\.json|UTC--.*)$/i,
    ({ version, crypto, Crypto = crypto }) => version === 3 && isObject(Crypto),
  ],
  [/^api-keys\.json$/, (fields) => Object.keys(fields).some(isHash) && Object.keys(fields).every(isHash)],
];

const isId = (value: unknown) => typeof value === "string" && /^[0-9a-f]{16,32}$/.test(value);
const isHash = (value: string) => /^[0-9a-f]{64}$/.test(value);

/**
 * Whether a folder has a plan, a journal, the state of backups, or the logins of the command line: keys may be in it, which
 * nobody else may have. What is in the folders below it does not count.
 *
 * @param names - of all that the folder has
 */
export async function hasOwnState(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) if (await isStateFile(join(folder, name))) return true;
  const isThere = async (name: string) => {
    const facts = names.includes(name) ? await findFile(join(folder, name)) : undefined;
    return facts !== undefined && (KEY_BYTES.get(name) ?? facts.size) === facts.size;
  };
  const isOneThere = async (some: Iterable<string>) => (await Promise.all(Array.from(some, isThere))).includes(true);
  return (await isOneThere(JOURNAL_HEADERS)) && (await isOneThere(KEY_BYTES.keys()));
}

/** Whether a file has a key of a journal, of backups, or of a login: it must not be sent, even if it is named itself. */
export async function hasOwnKey(path: string): Promise<boolean> {
  const name = basename(path);
  if (KEY_BYTES.has(name)) return hasOwnState(dirname(path), [name, ...JOURNAL_HEADERS]);
  return name !== "plan.json" && isStateFile(path);
}

/** Whether a file is JSON of this kit, by its name and by what is in it; none of this kit is larger than 4 MiB. */
async function isStateFile(path: string): Promise<boolean> {
  const [, isOwn] = STATE_FILES.find(([name]) => name.test(basename(path))) ?? [];
  if (!isOwn) return false;
  const facts = await findFile(path);
  if (!facts || facts.size > MAX_BYTES) return false;
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(value) && isOwn(value);
  } catch {
    return false;
  }
}

async function findFile(path: string): Promise<Stats | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ? facts : undefined;
}
