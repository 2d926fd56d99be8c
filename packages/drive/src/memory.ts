import { isKeeplightError } from "keeplight";
import { DRIVE_KIND, type Entries, type Entry, wait } from "keeplight/parts";
import type { VersionLink } from "./merge.ts";
import type { DriveKey } from "./seal.ts";

// What a journal knows of the drive of an account, for all pages and processes: in two entries, of which few versions change the
// larger one.

/** What a journal knows of a drive. */
export interface DriveMemory {
  /** The keys of the drive, the one that versions are sealed by first. */
  keys: readonly DriveKey[];
  /** `false` while a key node does not have its shard of the key of the file that the first of them is in. */
  isKeyWhole?: boolean | undefined;
  /** The newest version that was seen. */
  seen?: VersionLink | undefined;
  /** When it was, in milliseconds since 1970. */
  seenAt?: number | undefined;
  /** Its manifest, as `toFields` returns it, without what its base has. */
  change?: unknown;
  /** Content id of the version that it builds on, or its own. */
  base?: string | undefined;
  /** The manifest of that; missing if it is of another one. */
  baseManifest?: unknown;
}

type MemoryState = Omit<DriveMemory, "baseManifest"> & { account: string };

interface BaseState {
  account: string;
  /** Content id of the version. */
  base: string;
  baseManifest: unknown;
}

/** Returns what changes of what is known. */
export type ChangeMemory = (known: DriveMemory) => Partial<Omit<DriveMemory, "baseManifest">>;

/** How often, and how long apart in milliseconds, an entry that another page has is tried again. */
const TRIES = 100;
const PAUSE_MS = 50;

/** What is damaged, if that is an entry; one of a later version of this package is described by more than its id. */
const ID = /^[0-9a-f]{32}$/;

/** Reads what is known of the drive; `undefined` for one that was never opened with this journal. */
export async function readMemory(entries: Entries, account: string): Promise<DriveMemory | undefined> {
  const all = await entries.list();
  const own = all.flatMap((each) => ("kind" in each && each.kind === DRIVE_KIND ? [each.state] : []));
  const ofAccount = own.filter((state) => isOf(state, account)) as (MemoryState | BaseState)[];
  const memory = ofAccount.find((state): state is MemoryState => "keys" in state);
  const base = ofAccount.find((state): state is BaseState => "baseManifest" in state);
  const isItsBase = base !== undefined && base.base === memory?.base;
  return memory && { ...memory, ...(isItsBase && { baseManifest: base.baseManifest }) };
}

/**
 * Changes what is known of the drive, durably.
 *
 * @param describeBase - returns the manifest of the base, if that changes
 * @throws `CANNOT_WRITE`, `JOURNAL_ENTRY_BUSY`, `JOURNAL_CLOSED`
 */
export async function changeMemory(
  entries: Entries,
  account: string,
  change: ChangeMemory,
  describeBase?: () => unknown,
): Promise<void> {
  await withMemory(entries, account, async (entry) => {
    const changed = change(entry.state);
    const { base } = changed;
    if (base !== undefined && base !== entry.state.base && describeBase) {
      await withBase(entries, account, (kept) => kept.update({ base, baseManifest: describeBase() }));
    }
    await entry.update({ account, ...changed });
  });
}

/**
 * Removes what a journal knows of the drive of an account: its keys and its list. It stays known which version was seen last, so
 * that an older one is noticed; and what is not stored yet.
 */
export async function forgetDrive(entries: Entries, account: string): Promise<void> {
  await withMemory(entries, account, async (entry) => {
    await withBase(entries, account, (base) => base.erase());
    const { keys, change } = entry.state;
    if (keys.length > 0 || change !== undefined) await entry.update({ keys: [], base: undefined, change: undefined });
  });
}

/** Runs work with the entry of what is known, while no other page or process changes it. */
async function withMemory(
  entries: Entries,
  account: string,
  work: (entry: Entry<MemoryState>) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const entry = await entries.open<MemoryState>(DRIVE_KIND, account, { account, keys: [] });
      try {
        return await work(entry);
      } finally {
        await entry.release();
      }
    } catch (error) {
      if (tries === TRIES) throw error;
      // The network has all that a damaged one had.
      if (isKeeplightError(error, "JOURNAL_DAMAGED") && ID.test(error.details.what)) {
        await entries.discard(error.details.what);
      } else if (isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) await wait(PAUSE_MS, undefined);
      else throw error;
    }
  }
}

/** The entry of the base, which is large: who looks for others need not read it. */
export const toBaseEntry = (account: string) => ({ kind: DRIVE_KIND, name: `base of ${account}` });

/** Runs work with the entry of the base, for who has that of what is known. */
async function withBase(
  entries: Entries,
  account: string,
  work: (entry: Entry<BaseState>) => Promise<void>,
): Promise<void> {
  const initial = { account, base: "", baseManifest: null };
  const { kind, name } = toBaseEntry(account);
  const entry = await entries.open<BaseState>(kind, name, initial);
  try {
    await work(entry);
  } finally {
    await entry.release();
  }
}

export const isOf = (state: unknown, account: string) => (state as { account?: string }).account === account;
