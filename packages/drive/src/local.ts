import {
  DRIVE_CHANGE_KIND,
  type Entry,
  getEntries,
  type JournalLike,
  UPLOAD_KIND,
  type UploadState,
} from "keeplight/parts";
import { type ChangeMemory, changeMemory, type DriveMemory, isOf, readMemory, toBaseEntry } from "./memory.ts";
import { mergeStates } from "./merge.ts";
import {
  type ContactFacts,
  type DriveState,
  type EntryState,
  emptyState,
  type FileVersion,
  isEmpty,
  type Register,
  type SharedState,
  type Stamp,
} from "./state.ts";

/** Where a file that is being uploaded is to be, by the random name that it is sent under. */
export interface Plan {
  /** Id of its entry: a new one, or that of a file that gets a new version. */
  id: string;
  /** Of a new entry. */
  place?: { parent: string; name: string } | undefined;
  /** When the upload started, in milliseconds since 1970. */
  at: number;
  /** The same, as a stamp: what was changed since is newer. */
  stamp?: Stamp | undefined;
  /** What may be stored under the name, by content id: known before the last byte is sent. */
  files?: Readonly<Record<string, Pick<FileVersion, "size" | "commitment" | "chunkProfile">>> | undefined;
  /** Media type, and when the source was changed, if they are known. */
  type?: string | undefined;
  modified?: number | undefined;
}

/** What is not in any stored version yet. */
interface Unsaved {
  change: DriveState;
  plans: ReadonlyMap<string, Plan>;
}

export interface ChangeState {
  account: string;
  entries: [string, EntryState][];
  shared?: [string, SharedState][] | undefined;
  contacts?: [string, Register<ContactFacts | null>][] | undefined;
  pointer?: Register<string> | undefined;
  plans: [string, Plan][];
}

const nothing: Unsaved = { change: emptyState, plans: new Map() };

export type Local = ReturnType<typeof createLocal>;

/**
 * What a journal keeps of the drive of an account: what was seen of it, for all pages and processes; and for each of them an
 * entry with what it has changed and not stored yet. If it ends, another one takes that entry over.
 */
export function createLocal(journal: JournalLike, account: string) {
  const entries = getEntries(journal);
  const listEntries = () => entries.list(toBaseEntry(account));
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
    const { entries: changed, shared = [], contacts = [], ...rest } = change;
    const lists = { entries: [...changed], shared: [...shared], contacts: [...contacts], plans: [...plans] };
    const state: ChangeState = { account, ...rest, ...lists };
    if (own) await own.update(state);
    else own = await entries.start(DRIVE_CHANGE_KIND, state);
  }

  return {
    account,

    /** Reads what is known of the drive; `undefined` for one that was never opened with this journal. */
    read: (): Promise<DriveMemory | undefined> => readMemory(entries, account),

    /** Changes what is known of the drive, durably: see {@link changeMemory}. */
    remember: (change: ChangeMemory, describeBase?: () => unknown): Promise<void> =>
      inOrder(() => changeMemory(entries, account, change, describeBase)),

    /**
     * Takes over what pages and processes that have ended did not store. What others are still to store is only passed to
     * `onTaken`, as it is then.
     */
    takeOver(onTaken: (change: DriveState) => void): Promise<unknown> {
      return inOrder(async () => {
        const taken: Entry[] = [];
        let found = nothing;
        for (const open of await listEntries()) {
          if (!("kind" in open) || open.kind !== DRIVE_CHANGE_KIND || !isOf(open.state, account)) continue;
          const entry = await entries.acquire(open.id).catch(() => undefined);
          if (!entry) {
            onTaken(toUnsaved(open.state as ChangeState).change);
            continue;
          }
          taken.push(entry);
          found = unite(found, toUnsaved(entry.state as ChangeState));
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
      const planned = await listPlans();
      return new Set([...planned.map(([name]) => name), ...unsaved.plans.keys()]);
    },

    /** Copies plans by their random names from pages and processes that are open. */
    copyPlans(names: readonly string[]): Promise<void> {
      return inOrder(async () => {
        const missing = new Set(names.filter((name) => !unsaved.plans.has(name)));
        if (missing.size === 0) return;
        const found = (await listPlans()).filter(([name]) => missing.has(name));
        if (found.length === 0) return;
        const next = { ...unsaved, plans: new Map([...unsaved.plans, ...found]) };
        await write(unite(sending, next));
        unsaved = next;
        if (isReleased) await leave();
      });
    },

    /** Lists the random names of files whose uploads are not complete. */
    async listUploading(): Promise<Set<string>> {
      const all = await listEntries();
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

  /** Lists the plans of all pages and processes, as the journal has them. */
  async function listPlans(): Promise<[string, Plan][]> {
    const all = await listEntries();
    const changes = all.flatMap((each) => ("kind" in each && each.kind === DRIVE_CHANGE_KIND ? [each.state] : []));
    return changes.flatMap((state) => (isOf(state, account) ? (state as ChangeState).plans : []));
  }

  async function leave(): Promise<void> {
    await own?.release();
    own = undefined;
    // An upload that still runs notes in an entry of its own where its files are to be.
    unsaved = { change: emptyState, plans: unsaved.plans };
  }
}

/** Whether an entry has more than the plans of uploads. */
export const isChanged = (state: ChangeState): boolean => !isEmpty(toUnsaved(state).change);

function toUnsaved({ entries: changed, shared = [], contacts = [], pointer, plans }: ChangeState): Unsaved {
  const lists = { entries: new Map(changed), shared: new Map(shared), contacts: new Map(contacts) };
  return { change: { ...lists, ...(pointer && { pointer }) }, plans: new Map(plans) };
}

/** Plans that an upload adds, and the names whose plans are carried out. */
export interface PlanChange {
  add?: readonly (readonly [string, Plan])[];
  remove?: readonly string[];
}

function unite(one: Unsaved, other: Unsaved): Unsaved {
  return { change: mergeStates(one.change, other.change), plans: new Map([...one.plans, ...other.plans]) };
}
