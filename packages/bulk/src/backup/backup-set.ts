import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { invalidOption, isSameAddress, sourceUnreadable } from "keeplight/parts";
import { readVersionedJson, withWriteErrors } from "keeplight/parts/node";
import { withFolderLock, writeJson } from "../json-files.ts";
import { isInside } from "../plan/own-folders.ts";
import type { Snapshot } from "./snapshot-format.ts";

/** A snapshot that this machine has stored. */
export interface StoredSnapshot extends Omit<Snapshot, "set" | "name"> {
  /** SHA-256 of its entries, 64 hex digits. */
  digest: string;
}

/** What is known of the backups of one folder. It is a secret: anyone who has its key opens all of its files. */
export interface BackupSet {
  /** Random: 16 hex digits. It is part of the names that are stored. */
  id: string;
  /** Absolute path of the folder. */
  root: string;
  /** Address of the account that snapshots are stored for. */
  owner: string;
  /** For people; stored in snapshots only, encrypted. */
  name: string;
  /** Encryption of all files; absent if they are stored as they are. */
  encryption?: {
    /** 64 hex digits. */
    key: string;
    /** 32 hex digits. */
    salt: string;
  };
  /** Oldest first. */
  snapshots: StoredSnapshot[];
  /** Content ids of snapshots that are being deleted. */
  doomed?: string[];
}

/** A set that no other call or process changes meanwhile. */
export interface OwnedSet {
  /** The set as it was stored last; `undefined` for a new one. */
  readonly set: BackupSet | undefined;
  /** Stores it, durably. */
  save(set: BackupSet): Promise<void>;
}

const VERSION = 1;

/**
 * Runs work while no other call, of this or another process, uses the state in a folder. Creates the folder with mode 0700.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `SOURCE_UNREADABLE`
 */
export async function withSet<T>(folder: string, work: (owned: OwnedSet) => Promise<T>): Promise<T> {
  const refusal = () => invalidOption("state", "a folder that no other call is using");
  const save = (set: BackupSet) => writeJson(toSetPath(folder), { version: VERSION, ...set });
  return withFolderLock(folder, "set", refusal, async () => work({ set: await readSet(folder), save }));
}

/**
 * Reads the set in a folder, which is neither created nor locked: another call may change it meanwhile.
 *
 * @throws `INVALID_OPTION`, `SOURCE_UNREADABLE`
 */
export function readSet(folder: string): Promise<BackupSet | undefined> {
  const path = toSetPath(folder);
  return readVersionedJson<BackupSet>(path, VERSION, () =>
    invalidOption("state", `the state of a backup: ${path} is damaged, or of a later version`),
  );
}

const toSetPath = (folder: string) => join(folder, "set.json");

/** Throws `INVALID_OPTION` for a state that is the folder to back up, or above it: it would be mixed with other files. */
export async function refuseStateAbove(outer: string, inner: string): Promise<void> {
  if (`${inner}${sep}`.startsWith(`${outer}${sep}`) || (await isInside(inner, outer))) {
    throw invalidOption("state", "a folder that is neither the one to back up nor above it");
  }
}

/**
 * Creates the set of a folder, or returns the one there is. Throws `INVALID_OPTION` for another folder, another account, or
 * another choice.
 */
export async function openSet(
  { set, save }: OwnedSet,
  { state, root, isPublic, owner }: { state: string; root: string; isPublic: boolean; owner: string },
): Promise<BackupSet> {
  if (!set) {
    const found = await stat(root).catch((error) => {
      throw sourceUnreadable(root, error);
    });
    if (!found.isDirectory()) throw invalidOption("folder", "the path of a folder");
    const created: BackupSet = {
      id: randomHex(8),
      root,
      owner,
      name: basename(root),
      ...(isPublic ? {} : { encryption: { key: randomHex(32), salt: randomHex(16) } }),
      snapshots: [],
    };
    // What an earlier set has stored was encrypted under another key.
    const { index, run } = toPlaces(state);
    await withWriteErrors(state, async () => {
      for (const path of [index, run]) await rm(path, { recursive: true, force: true });
    });
    await save(created);
    return created;
  }
  if (set.root !== root) throw invalidOption("state", `a folder without the state of another folder (${set.root})`);
  refuseOtherOwner(set, owner);
  if (isPublic === (set.encryption !== undefined)) {
    throw invalidOption("public", `${!isPublic}, as in the earlier backups`);
  }
  return set;
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/** Throws `INVALID_OPTION` unless this account has stored the set: no other could open or delete what is stored. */
export function refuseOtherOwner({ owner }: BackupSet, address: string): void {
  if (!isSameAddress(owner, address))
    throw invalidOption("state", `a folder without the state of another account (${owner})`);
}

/** Where the files of a set's state are. */
export function toPlaces(folder: string) {
  const run = join(folder, "run");
  return {
    /** What the last scan has found, with the content ids of all that is stored. */
    index: join(folder, "index.jsonl"),
    /** Folder of a backup that is not complete. */
    run,
    /** Folder of one that is complete, while it is removed. */
    over: `${run}.old`,
    /** What its scan has found, as far as it is; then with the content ids that were known before. */
    tree: join(run, "tree.jsonl"),
    /** Says that the tree is complete. */
    started: join(run, "run.json"),
    /** The plan that sends it. */
    plan: join(run, "plan"),
  };
}

export type Places = ReturnType<typeof toPlaces>;

/** A backup whose tree is complete. */
export interface StartedRun {
  /** Random: 8 hex digits. */
  id: string;
  /** How many files have to be sent. */
  files: number;
}

/** Creates the folder of a new run, in place of any other. */
export async function createRun({ run }: Places): Promise<void> {
  await withWriteErrors(run, async () => {
    await rm(run, { recursive: true, force: true });
    await mkdir(run, { recursive: true, mode: 0o700 });
  });
}

/** Records that the tree of a run is complete. */
export async function startRun({ started }: Places, files: number): Promise<StartedRun> {
  const run: StartedRun = { id: randomHex(4), files };
  await writeJson(started, run);
  return run;
}

/** Returns the run whose tree is complete, if there is one. Throws `SOURCE_UNREADABLE`, `INVALID_OPTION`. */
export async function readRun({ run, started }: Places): Promise<StartedRun | undefined> {
  let text: string;
  try {
    text = await readFile(started, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw sourceUnreadable(started, error);
  }
  try {
    return JSON.parse(text) as StartedRun;
  } catch {
    const advice = `${started} is damaged; without ${run} its files are sent again`;
    throw invalidOption("state", `the state of a backup: ${advice}`);
  }
}

/** Removes what a run has left, once the index has it. */
export async function removeRun({ run, over }: Places): Promise<void> {
  await withWriteErrors(run, async () => {
    // At once: what is left of a run that was removed in part would be taken for one that was not completed.
    await rm(over, { recursive: true, force: true });
    await rename(run, over);
    await rm(over, { recursive: true, force: true });
  });
}
