import type { StorageClass } from "keeplight";
import {
  callback,
  checkCid,
  invalidOption,
  isOptions,
  normalizeCid,
  type OptionSchema,
  optional,
  type Resolved,
  resolveOptions,
  storageSchema,
  wholeNumber,
} from "keeplight/parts";
import { tagList } from "./checks.ts";
import { findLatest, type StoredSnapshot } from "./needs.ts";
import { type AccountOptions, accountSchema, type ResolvedAccount } from "./options.ts";
import { deleteStored, listStored, type StoredFile } from "./remote.ts";
import { openRepositories } from "./repository.ts";
import { COUNTED, chooseKept, isAhead, type Retention } from "./retention.ts";
import { describeSnapshot, readSnapshots, type Snapshot } from "./snapshot.ts";

/** Options of {@link previewForget}. */
export type PreviewForgetOptions = AccountOptions & {
  /** What is kept: at least one rule. */
  keep: Retention;
  /** Only snapshots of this folder, as they name it; the others stay. @default all folders */
  root?: string | undefined;
  /** Only snapshots of this machine, as they name it; the others stay. @default all machines */
  host?: string | undefined;
  /** Storage class of the backups, as they were made with. @default the network's own */
  storage?: StorageClass | undefined;
};

/** Options of {@link forgetSnapshots}. */
export type ForgetOptions = PreviewForgetOptions & {
  /**
   * Called with what would be forgotten, before anything is deleted. If it fails, nothing is deleted, and its error is thrown.
   * No other snapshot is deleted, whatever other machines add until it returns. @default none
   */
  confirm?: ((decided: ForgetResult) => unknown) | undefined;
};

const isText = (value: unknown, name: string): string | undefined => {
  if (value !== undefined && typeof value !== "string") throw invalidOption(name, "a string");
  return value;
};

const keepSchema = {
  ...(Object.fromEntries(COUNTED.map((rule) => [rule, optional(wholeNumber(0, 0))])) as Record<
    (typeof COUNTED)[number],
    ReturnType<typeof optional<number>>
  >),
  tags: tagList,
};

const schema = {
  ...accountSchema,
  keep(keep, name): Retention {
    if (!isOptions(keep)) throw invalidOption(name, "an object with the rules of what is kept");
    const rules = resolveOptions(keepSchema, keep);
    const keepsNone = rules.tags.length === 0 && COUNTED.every((rule) => (rules[rule] ?? 0) === 0);
    if (keepsNone) throw invalidOption(name, "at least one rule that keeps something");
    return rules;
  },
  root: isText,
  host: isText,
  storage: storageSchema.storage,
} satisfies OptionSchema<PreviewForgetOptions>;

/** What is kept, and what is not. */
export interface ForgetResult {
  /** Newest first. */
  kept: Snapshot[];
  /** Newest first. */
  forgotten: Snapshot[];
}

/**
 * Deletes the snapshots that no rule keeps: of each folder of each machine by itself, in UTC. Their chunks stay until
 * `pruneBackups` is called. Snapshots that cannot be read stay, and so do those of the first format, and those dated more than a day
 * ahead, which no rule counts: see {@link forgetSnapshot}.
 *
 * @throws `INVALID_OPTION`, also for rules that would keep none of them; what `listSnapshots` throws; `HTTP_STATUS`
 *
 * @example
 * await forgetSnapshots({ keep: { last: 3, day: 14, month: 12, tags: ["keep"] }, apiKey, signer });
 */
export async function forgetSnapshots(options: ForgetOptions): Promise<ForgetResult> {
  const confirmSchema = { ...schema, confirm: callback<(decided: ForgetResult) => unknown>() };
  const { confirm, ...rules } = resolveOptions(confirmSchema, options);
  let decided = await decide(rules);
  if (confirm) {
    const shown = new Set(decided.forgotten.map(({ id }) => id));
    await confirm({ kept: [...decided.kept], forgotten: [...decided.forgotten] });
    decided = await decide(rules, shown);
  }
  const { kept, forgotten, files } = decided;
  await deleteStored(files, rules, rules.storage);
  return { kept, forgotten };
}

/** Finds out what {@link forgetSnapshots} would delete. Changes nothing. */
export async function previewForget(options: PreviewForgetOptions): Promise<ForgetResult> {
  const { kept, forgotten } = await decide(resolveOptions(schema, options));
  return { kept, forgotten };
}

/** Options of {@link forgetSnapshot}. */
export type ForgetOneOptions = AccountOptions & {
  /** Storage class of the backups, as they were made with. @default the network's own */
  storage?: StorageClass | undefined;
};

const oneSchema = { ...accountSchema, storage: storageSchema.storage } satisfies OptionSchema<ForgetOneOptions>;

/**
 * Deletes one snapshot, even if it cannot be read, or is of the first format. Its chunks stay until `pruneBackups` is called.
 *
 * @param cid - of the snapshot
 * @throws `INVALID_CID`; `INVALID_OPTION` if the account has no such snapshot; what `listSnapshots` throws; `HTTP_STATUS`
 *
 * @example
 * await forgetSnapshot(cid, { apiKey, signer });
 */
export async function forgetSnapshot(cid: string, options: ForgetOneOptions): Promise<void> {
  const chosen = normalizeCid(checkCid(cid));
  const { storage, ...account } = resolveOptions(oneSchema, options);
  const stored = await listStored(account);
  const isSnapshot = ({ kind }: StoredFile) => kind === "snapshot" || kind === "first snapshot";
  const rows = stored.filter((file) => file.cid === chosen && isSnapshot(file));
  if (rows.length === 0) throw invalidOption("cid", "a snapshot that the account has");
  const others = await findOtherFiles(chosen, stored, account);
  await deleteStored([...rows, ...stored.filter(({ cid: each }) => others.has(each))], account, storage);
}

/** Returns the content ids of a snapshot's other files: an interrupted call has moved its chunks. */
async function findOtherFiles(
  chosen: string,
  stored: readonly StoredFile[],
  account: ResolvedAccount,
): Promise<Set<string>> {
  const found = await readReadable(stored, account);
  const id = found.find(({ file }) => file.cid === chosen)?.content.id;
  const others = found.filter(({ file, content }) => content.id === id && file.cid !== chosen);
  return new Set(id === undefined ? [] : others.map(({ file }) => file.cid));
}

/** Reads the snapshots that can be read. */
async function readReadable(stored: readonly StoredFile[], account: ResolvedAccount): Promise<StoredSnapshot[]> {
  const found: StoredSnapshot[] = [];
  for (const repository of await openRepositories(stored, account)) {
    for await (const read of readSnapshots(stored, repository, account)) if ("content" in read) found.push(read);
  }
  return found;
}

/** Decides what is forgotten, at most what is in `allowed`, and finds its files. */
async function decide(
  { keep, root, host, ...account }: Resolved<typeof schema>,
  allowed?: ReadonlySet<string>,
): Promise<ForgetResult & { files: StoredFile[] }> {
  const stored = await listStored(account);
  // A snapshot may have several files, and a file several rows: if a call was interrupted, or a response lost.
  const found = await readReadable(stored, account);
  const chosen = findLatest(found)
    .map(({ file, content }) => describeSnapshot(file.cid, content))
    .filter((each) => (root ?? each.root) === each.root && (host ?? each.host) === each.host)
    .sort((a, b) => b.createdAt - a.createdAt);
  const now = Date.now();
  const counted = chosen.filter((each) => !isAhead(each, now));
  const byRules = chooseKept(counted, keep);
  // Such as by a tag that is misspelt.
  if (byRules.size === 0 && counted.length > 0) throw invalidOption("keep", "rules that keep at least one snapshot");
  const forgotten = counted.filter((each) => !byRules.has(each) && (!allowed || allowed.has(each.id)));
  const ids = new Set(forgotten.map(({ id }) => id));
  const cids = new Set(found.filter(({ content }) => ids.has(content.id)).map(({ file }) => file.cid));
  const files = stored.filter(({ cid }) => cids.has(cid));
  return { kept: chosen.filter(({ id }) => !ids.has(id)), forgotten, files };
}
