import { isKeeplightError } from "../base/errors/base.ts";
import { entryBusy, journalClosed, journalDamaged, unknownEntry } from "../base/errors/journal.ts";
import { createId } from "../base/streams/bytes.ts";
import type { JournalStore, OwnedEntry } from "../platform/types.ts";
import { type JournalKey, readHeader } from "./journal-key.ts";
import { deriveId, seal, unseal } from "./sealing.ts";
import { createStateWriter } from "./state-writer.ts";

const VERSION = 1;

/** What an entry holds: an operation that is not complete, and what is needed to continue it. */
export interface EntryData {
  id: string;
  /** What the operation does. */
  kind: string;
  /** Milliseconds since 1970; so is `updatedAt`. */
  startedAt: number;
  updatedAt: number;
  /** Plain data, with secrets. */
  state: unknown;
}

/** Who works on an operation: a call with this journal, or one of another process, page or journal object. */
type EntryWorker = "here" | "elsewhere";

/** An entry that cannot be read: damaged, or of a later version of this package. */
export interface UnreadableEntry {
  id: string;
  error: unknown;
}

/** What a journal keeps of one operation, which this process carries out. */
export interface Entry<State = unknown> {
  readonly id: string;
  readonly kind: string;
  /** Milliseconds since 1970; later than that of every operation that it follows. */
  readonly startedAt: number;
  readonly state: State;
  /** Makes it later than operations that were started before it, whatever the clock said. Throws `CANNOT_WRITE`. */
  follow(earlier: readonly Pick<EntryData, "startedAt">[]): Promise<void>;
  /** Changes the state; resolves once a state with the change would survive a power cut. Throws `CANNOT_WRITE`. */
  update(change: Partial<State>): Promise<void>;
  /** Changes the state, which is written soon: for what may be done again without harm. Never fails. */
  note(change: Partial<State>): void;
  /** Removes the operation: it is complete, or nothing of it was done. Never fails. */
  complete(): Promise<void>;
  /** Does the same, unless it was changed by another process; throws what the place of the journal does. */
  erase(): Promise<void>;
  /** Leaves the operation open, for this process or another one to resume. Never fails. */
  release(): Promise<void>;
}

/** The entries of one journal: its open operations. */
export type Entries = ReturnType<typeof createEntries>;

export function createEntries(store: JournalStore, { journal, key }: JournalKey) {
  const followers = new Set<(entry: Entry) => Entry>();
  const discardListeners = new Set<(discarded: EntryData) => Promise<void>>();
  /** The operations that are worked on here. */
  const working = new Set<string>();

  async function readData(id: string): Promise<EntryData | undefined> {
    const sealed = await store.read(id);
    return sealed && { ...parseData(id, await unseal(key, { journal, id }, sealed)), id };
  }

  async function write(owned: OwnedEntry, { id, ...data }: EntryData, durable: boolean): Promise<void> {
    const plain = new TextEncoder().encode(JSON.stringify({ version: VERSION, ...data }));
    await owned.write(await seal(key, { journal, id }, plain), { durable });
  }

  function toEntry<State>(owned: OwnedEntry, data: EntryData): Entry<State> {
    const { id, kind } = data;
    let { startedAt } = data;
    const writer = createStateWriter(data.state as State, (state) =>
      write(owned, { id, kind, startedAt, updatedAt: Date.now(), state }, true),
    );
    let isOver = false;
    working.add(id);

    /** A second end has no effect: the entry may belong to another process by then. */
    async function end(writeNotes: boolean, act: () => Promise<void>): Promise<void> {
      if (isOver) return;
      isOver = true;
      await writer.end({ writeNotes });
      await act().finally(() => working.delete(id));
    }

    return {
      id,
      kind,
      get startedAt() {
        return startedAt;
      },
      get state() {
        return writer.state;
      },
      async follow(earlier) {
        const newest = earlier.reduce((latest, other) => Math.max(latest, other.startedAt), 0);
        if (startedAt > newest) return;
        startedAt = newest + 1;
        await writer.update({});
      },
      update: writer.update,
      note: writer.note,
      // The work is done, or may be done again without harm: no reason to fail it.
      complete: () => end(false, owned.remove).catch(() => undefined),
      erase: () => end(false, owned.remove),
      release: () => end(true, owned.release).catch(() => undefined),
    };
  }

  /** Reads an entry that this process owns; `initial` makes a new one. Releases it if that fails. */
  async function readOwned<State>(id: string, owned: OwnedEntry, initial?: EntryData): Promise<Entry<State>> {
    try {
      const data = (await readData(id)) ?? initial;
      if (!data) throw unknownEntry(id);
      return toEntry(owned, data);
    } catch (error) {
      await owned.release().catch(() => undefined);
      throw error;
    }
  }

  /** What is sealed by this key would be unreadable in another journal at the same place. */
  async function assertSameJournal(): Promise<void> {
    const header = await readHeader(store);
    if (header?.id !== journal) throw journalClosed(store.place, undefined);
  }

  const toNamedId = (kind: string, name: string) => deriveId(`${journal} ${kind} ${name}`);

  async function own(id: string): Promise<OwnedEntry> {
    const isThere = ID.test(id) && (await store.read(id));
    if (!isThere) throw unknownEntry(id);
    const owned = await store.own(id, "existing");
    if (owned) return owned;
    throw (await store.read(id)) ? entryBusy(id) : unknownEntry(id);
  }

  return {
    /** Id of the journal: random, so that no two journals have the same, wherever they are. */
    journal,
    /**
     * Starts the entry of a new operation; nothing of that may be done before this resolves.
     *
     * @param options - with `durable` it survives a power cut, otherwise only the end of the process, until its first
     * update. Default `true`
     * @throws `CANNOT_WRITE`, `JOURNAL_CLOSED` if the journal was deleted or replaced
     */
    async start<State>(kind: string, state: State, { durable } = { durable: true }): Promise<Entry<State>> {
      await assertSameJournal();
      const id = createId();
      const owned = await store.own(id, "new");
      if (!owned) throw entryBusy(id);
      const now = Date.now();
      const data = { id, kind, startedAt: now, updatedAt: now, state };
      const entry = toEntry<State>(owned, data);
      try {
        await write(owned, data, durable);
      } catch (error) {
        await entry.complete();
        throw error;
      }
      return entry;
    },
    /** Takes ownership of an open operation; throws `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`, `JOURNAL_DAMAGED`. */
    async acquire(id: string): Promise<Entry> {
      let entry = await readOwned(id, await own(id));
      for (const follow of followers) entry = follow(entry);
      return entry;
    },
    /**
     * Passes operations that are acquired from now on to `follow`, which returns the entry to work on. Returns what ends that.
     */
    follow(follow: (entry: Entry) => Entry): () => void {
      followers.add(follow);
      return () => void followers.delete(follow);
    },
    /**
     * Takes ownership of the operation of this kind with this name, which the caller chose. If there is none, returns a new
     * one with the state `initial`, which is in the journal from its first update on.
     *
     * @throws `JOURNAL_ENTRY_BUSY` while another call or process owns it, `JOURNAL_DAMAGED`
     */
    async open<State>(kind: string, name: string, initial: State): Promise<Entry<State>> {
      await assertSameJournal();
      const id = await toNamedId(kind, name);
      const owned = await store.own(id, "any");
      if (!owned) throw entryBusy(id);
      const now = Date.now();
      return readOwned(id, owned, { id, kind, startedAt: now, updatedAt: now, state: initial });
    },
    /**
     * Reads all open operations, oldest first; those that cannot be read are listed by their errors, last.
     *
     * @param without - of the operation of this kind with this name nothing is read: it is large
     */
    async list(without?: { kind: string; name: string }): Promise<(EntryData | UnreadableEntry)[]> {
      const skipped = without && (await toNamedId(without.kind, without.name));
      const open: EntryData[] = [];
      const unreadable: UnreadableEntry[] = [];
      for (const id of await store.list()) {
        if (id === skipped) continue;
        try {
          const data = await readData(id);
          if (data) open.push(data);
        } catch (error) {
          if (!isKeeplightError(error)) throw error;
          unreadable.push({ id, error });
        }
      }
      return [...open.sort((a, b) => a.startedAt - b.startedAt), ...unreadable];
    },
    /** Reads who works on these operations; those that nobody works on are not in the result. */
    async listWorkers(ids: readonly string[]): Promise<ReadonlyMap<string, EntryWorker>> {
      const owned = await store.listOwned(ids);
      const workers = new Map<string, EntryWorker>();
      for (const id of ids) {
        if (working.has(id)) workers.set(id, "here");
        else if (owned.has(id)) workers.set(id, "elsewhere");
      }
      return workers;
    },
    /** Describes who owns an operation, such as a process; `undefined` if that is not known. */
    async findOwner(id: string): Promise<string | undefined> {
      return (await store.listOwned([id])).get(id);
    },
    /** Removes an operation that no other process is working on; throws what `acquire` throws, but not for a damaged one. */
    async discard(id: string): Promise<void> {
      const owned = await own(id);
      const discarded = discardListeners.size === 0 ? undefined : await readData(id).catch(() => undefined);
      await owned.remove();
      // It is discarded, whatever they do.
      for (const listener of discarded ? discardListeners : [])
        await listener(discarded as EntryData).catch(() => undefined);
    },
    /** Calls `listener` with operations that are discarded here from now on. Returns what ends that. */
    onDiscard(listener: (discarded: EntryData) => Promise<void>): () => void {
      discardListeners.add(listener);
      return () => void discardListeners.delete(listener);
    },
  };
}

const ID = /^[0-9a-f]{32}$/;

function parseData(id: string, plain: Uint8Array): Omit<EntryData, "id"> {
  const { version, kind, startedAt, updatedAt, state } = JSON.parse(new TextDecoder().decode(plain));
  if (version !== VERSION) throw journalDamaged(`${id}, or written by a later version of this package`);
  return { kind, startedAt, updatedAt, state };
}
