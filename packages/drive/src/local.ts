import { isKeeplightError } from "keeplight";
import {
  DRIVE_CHANGE_KIND,
  DRIVE_KIND,
  type Entries,
  type Entry,
  getEntries,
  type JournalLike,
  UPLOAD_KIND,
  type UploadState,
  wait,
} from "keeplight/parts";
import { mergeStates, type VersionLink } from "./merge.ts";
import type { DriveKey } from "./seal.ts";
import {
  type DriveState,
  type EntryState,
  emptyState,
  type FileVersion,
  isEmpty,
  type ReceivedState,
  type Register,
} from "./state.ts";

/** Where a file that is being uploaded is to be, by the random name that it is sent under. */
export interface Plan {
  /** Id of its entry: a new one, or that of a file that gets a new version. */
  id: string;
  /** Of a new entry. */
  place?: { parent: string; name: string } | undefined;
  /** When the upload started, in milliseconds since 1970. */
  at: number;
  /** What may be stored under the name, by content id: known before the last byte is sent. */
  files?: Readonly<Record<string, Pick<FileVersion, "size" | "commitment" | "chunkProfile">>> | undefined;
  /** Media type, and when the source was changed, if they are known. */
  type?: string | undefined;
  modified?: number | undefined;
}

/** What a journal keeps of a drive. */
export interface DriveMemory {
  /** The keys of the drive, the one that versions are sealed by first. */
  keys: readonly DriveKey[];
  /** The newest version that was seen. */
  seen?: VersionLink | undefined;
  /** When it was, in milliseconds since 1970. */
  seenAt?: number | undefined;
  /** Its manifest, as `toFields` returns it. */
  manifest?: unknown;
}

/** What is not in any stored version yet. */
interface Unsaved {
  change: DriveState;
  plans: ReadonlyMap<string, Plan>;
}

interface ChangeState {
  account: string;
  entries: [string, EntryState][];
  received?: [string, ReceivedState][] | undefined;
  pointer?: Register<string> | undefined;
  plans: [string, Plan][];
}

/** How often, and how long apart in milliseconds, an entry that another page has is tried again. */
const TRIES = 100;
const PAUSE_MS = 50;

const nothing: Unsaved = { change: emptyState, plans: new Map() };

export type Local = ReturnType<typeof createLocal>;

/**
 * What a journal keeps of the drive of an account: what was seen of it, for all pages and processes; and for each of them an
 * entry with what it has changed and not stored yet. If it ends, another one takes that entry over.
 */
export function createLocal(journal: JournalLike, account: string) {
  const entries = getEntries(journal);
  let own: Entry<ChangeState> | undefined;
  let unsaved = nothing;
  let sending = nothing;
  let isReleased = false;
  let last: Promise<unknown> = Promise.resolve();

  /** Runs work after all that was started before. */
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  }

  async function write(kept: Unsaved): Promise<void> {
    const { change, plans } = kept;
    if (isEmpty(change) && plans.size === 0) {
      await own?.complete();
      own = undefined;
      return;
    }
    const { entries: changed, received = [], ...rest } = change;
    const state: ChangeState = { account, ...rest, entries: [...changed], received: [...received], plans: [...plans] };
    if (own) await own.update(state);
    else own = await entries.start(DRIVE_CHANGE_KIND, state);
  }

  return {
    account,

    /** Reads what is known of the drive; `undefined` for one that was never opened with this journal. */
    async read(): Promise<DriveMemory | undefined> {
      const all = await entries.list();
      const found = all.find((entry) => "kind" in entry && entry.kind === DRIVE_KIND && isOf(entry.state, account));
      return found && "state" in found ? (found.state as DriveMemory) : undefined;
    },

    /** Changes what is known of the drive, durably. Throws `CANNOT_WRITE`, `JOURNAL_ENTRY_BUSY`, `JOURNAL_CLOSED`. */
    remember(change: (known: DriveMemory) => Partial<DriveMemory>): Promise<void> {
      return inOrder(() => withMemory(entries, account, (entry) => entry.update({ account, ...change(entry.state) })));
    },

    /** Takes over what pages and processes that have ended did not store. */
    takeOver(onTaken: (change: DriveState) => void): Promise<unknown> {
      return inOrder(async () => {
        const taken: Entry[] = [];
        let found = nothing;
        for (const open of await entries.list()) {
          if (!("kind" in open) || open.kind !== DRIVE_CHANGE_KIND || !isOf(open.state, account)) continue;
          const entry = await entries.acquire(open.id).catch(() => undefined);
          if (!entry) continue;
          taken.push(entry);
          const { entries: changed, received = [], pointer, plans } = entry.state as ChangeState;
          const change = { entries: new Map(changed), received: new Map(received), ...(pointer && { pointer }) };
          found = unite(found, { change, plans: new Map(plans) });
        }
        if (taken.length === 0) return nothing;
        try {
          await write(unite(found, unite(sending, unsaved)));
          unsaved = unite(found, unsaved);
          onTaken(found.change);
        } catch (error) {
          for (const entry of taken) await entry.release();
          throw error;
        }
        for (const entry of taken) await entry.complete();
        if (isReleased) await leave();
        return found;
      });
    },

    /**
     * Keeps a change until it is stored; durable once this resolves. `onKept` is called at the moment from which on the change is
     * among those that {@link startSending} takes.
     *
     * @throws `CANNOT_WRITE`, `JOURNAL_CLOSED`; then nothing is kept
     */
    record(change: DriveState, { add = [], remove = [] }: PlanChange, onKept: () => void): Promise<void> {
      return inOrder(async () => {
        const withChange = ({ change: before, plans: planned }: Unsaved): Unsaved => {
          const plans = new Map([...planned, ...add]);
          for (const name of remove) plans.delete(name);
          return { change: mergeStates(before, change), plans };
        };
        await write(unite(sending, withChange(unsaved)));
        unsaved = withChange(unsaved);
        onKept();
        if (isReleased) await leave();
      });
    },

    plans: (): ReadonlyMap<string, Plan> => unsaved.plans,

    hasChanges: (): boolean => [sending, unsaved].some(({ change }) => !isEmpty(change)),

    /** All changes until now are being stored; what is recorded from now on is not. Plans stay until they are removed. */
    startSending(): void {
      sending = { change: mergeStates(sending.change, unsaved.change), plans: new Map() };
      unsaved = { change: emptyState, plans: unsaved.plans };
    },

    /** They are stored in a version, or not. */
    endSending(isStored: boolean): Promise<void> {
      return inOrder(async () => {
        if (!isStored) unsaved = unite(sending, unsaved);
        sending = nothing;
        if (isStored) await write(unsaved);
      });
    },

    /** Lists the random names of all uploads that pages and processes have planned. */
    async listPlanned(): Promise<Set<string>> {
      const all = await entries.list();
      const changes = all.flatMap((each) => ("kind" in each && each.kind === DRIVE_CHANGE_KIND ? [each.state] : []));
      const planned = changes.flatMap((state) => (isOf(state, account) ? (state as ChangeState).plans : []));
      return new Set([...planned.map(([name]) => name), ...unsaved.plans.keys()]);
    },

    /** Lists the random names of files whose uploads are not complete. */
    async listUploading(): Promise<Set<string>> {
      const all = await entries.list();
      const uploads = all.flatMap((each) => ("kind" in each && each.kind === UPLOAD_KIND ? [each.state] : []));
      return new Set(uploads.flatMap((state) => (state as UploadState).files.flatMap(({ sentAs }) => sentAs ?? [])));
    },

    /** Leaves what is not stored, and what is recorded from now on, to another page or process. */
    release: (): Promise<void> =>
      inOrder(async () => {
        isReleased = true;
        await leave();
      }),
  };

  async function leave(): Promise<void> {
    await own?.release();
    own = undefined;
    // An upload that still runs notes in an entry of its own where its files are to be.
    unsaved = { change: emptyState, plans: unsaved.plans };
  }
}

/**
 * Removes what a journal knows of the drive of an account: its keys and its list. It stays known which version was seen last, so
 * that an older one is noticed; and what is not stored yet.
 */
export async function forgetDrive(entries: Entries, account: string): Promise<void> {
  await withMemory(entries, account, async (entry) => {
    const { keys, manifest } = entry.state;
    if (keys.length > 0 || manifest !== undefined) await entry.update({ keys: [], manifest: undefined });
  });
}

/** Runs work with the entry of what is known, while no other page or process changes it. */
async function withMemory(
  entries: Entries,
  account: string,
  work: (entry: Entry<DriveMemory & { account: string }>) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const entry = await entries.open(DRIVE_KIND, account, { account, keys: [] } as DriveMemory & { account: string });
      try {
        return await work(entry);
      } finally {
        await entry.release();
      }
    } catch (error) {
      if (tries === TRIES || !isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) throw error;
      await wait(PAUSE_MS, undefined);
    }
  }
}

/** Plans that an upload adds, and the names whose plans are carried out. */
export interface PlanChange {
  add?: readonly (readonly [string, Plan])[];
  remove?: readonly string[];
}

function unite(one: Unsaved, other: Unsaved): Unsaved {
  return { change: mergeStates(one.change, other.change), plans: new Map([...one.plans, ...other.plans]) };
}

const isOf = (state: unknown, account: string) => (state as { account?: string }).account === account;
