import type { ListedFile } from "keeplight";
import { invalidDrive } from "keeplight/parts";
import type { Change } from "./changes.ts";
import type { Local, PlanChange } from "./local.ts";
import { assertReadable, assertRoom } from "./manifest.ts";
import { mergeStates } from "./merge.ts";
import { createQueue } from "./queue.ts";
import type { Remote } from "./remote.ts";
import { createClock, type DriveState, type EntryState, emptyState, type SharedState, type Stamp } from "./state.ts";
import { buildTree, type Tree } from "./tree.ts";
import { createVersions, type DriveProblem } from "./versions.ts";

/** Changes of this time, in milliseconds, are stored in one version. */
const JOIN_MS = 2_000;

/** Of so many versions that are stored one reads the listing, in which old ones are deleted, and all of the others are found. */
const LISTING_EVERY = 20;

/** How long to wait after a version could not be stored, in milliseconds; doubled for each further failure. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

/** How a drive is doing. */
export interface DriveStatus {
  /** Whether there are changes that only this device's journal has. */
  unsaved: boolean;
  /** Why they could not be stored, or the newest version not be read, the last time. */
  error?: unknown;
  /** What services did. */
  problems: readonly DriveProblem[];
}

/** Computes a change, what the call returns, and the plans of uploads that change with it. */
type Decide<T> = (stamp: Stamp) => readonly [change: Change, result: T, plans?: PlanChange];

export type Core = NonNullable<Awaited<ReturnType<typeof openCore>>>;

/**
 * Opens the drive of an account: its state, which follows the journal and the network.
 *
 * @param ifMissing - if the account has none: `create` it, or return `undefined`
 */
export async function openCore(remote: Remote, local: Local, ifMissing: "create" | "none") {
  const clock = createClock(Date.now);
  const listeners = new Set<() => void>();
  const withNetwork = createQueue();
  const inOrder = createQueue();
  let state: DriveState = emptyState;
  let tree: Tree | undefined;
  let error: unknown;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = 0;
  let isClosed = false;

  function merge(other: DriveState): void {
    const next = mergeStates(state, other);
    if (next === state) return;
    for (const [id, entry] of next.entries) if (entry !== state.entries.get(id)) observe(entry);
    for (const [id, item] of next.shared ?? []) if (item !== state.shared?.get(id)) observeShared(item);
    for (const [id, item] of next.contacts ?? []) if (item !== state.contacts?.get(id)) clock.observe(item[1]);
    state = next;
    tree = undefined;
    notify();
  }

  /** Later changes of this device win over all that it has seen. */
  function observe({ parent, name, trashed, files = {} }: EntryState): void {
    const stamps = [parent, name, trashed].flatMap((register) => (register ? register[1] : []));
    for (const stamp of [...stamps, ...Object.values(files).map(({ added }) => added)]) clock.observe(stamp);
  }

  function observeShared({ file, removed }: SharedState): void {
    for (const register of [file, removed]) if (register) clock.observe(register[1]);
  }

  function notify(): void {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // Its error is none of the change.
      }
    }
  }

  const versions = createVersions(remote, local, { state: () => state, merge, stamp: clock.next, notify });

  function report(cause: unknown): void {
    if (cause === undefined) failures = 0;
    const isNew = cause !== error;
    error = cause;
    if (isNew) notify();
  }

  /** Stores what is not stored. By the number of the version, so that commands that store one each read the listing, too. */
  async function store(): Promise<void> {
    const listing = await versions.pull(versions.nextNumber() % LISTING_EVERY === 0);
    await versions.push();
    if (listing) await versions.prune(listing);
  }

  function schedule(afterMs: number): void {
    if (isClosed || !(versions.isUnsaved() || local.hasChanges())) return;
    const due = Date.now() + afterMs;
    if (timer !== undefined && dueAt <= due) return;
    clearTimeout(timer);
    dueAt = due;
    timer = setTimeout(async () => {
      timer = undefined;
      try {
        await withNetwork(store);
        report(undefined);
        notify();
      } catch (cause) {
        report(cause);
        schedule(Math.min(RETRY_MS * 2 ** failures++, MAX_RETRY_MS));
      }
    }, afterMs);
    // A program that has nothing else to do may end: the journal has the changes.
    (timer as { unref?: () => void }).unref?.();
  }

  const memory = await local.read();
  if (memory) versions.restore(memory);
  await local.takeOver(merge);
  try {
    await start();
  } catch (cause) {
    // What was taken over is left to who opens the drive next.
    await local.release();
    throw cause;
  }
  if (versions.id() === "") {
    await local.release();
    return undefined;
  }
  schedule(JOIN_MS);

  async function start(): Promise<void> {
    if (versions.id() !== "") {
      // What is known is shown, even if the network is not there.
      return withNetwork(() => versions.pull(false)).then(() => report(undefined), report);
    }
    await withNetwork(() => versions.pull(true));
    if (versions.id() !== "") return;
    if (memory?.seen) throw invalidDrive(memory.seen.cid, "the listing does not have its key");
    if (ifMissing === "create") await versions.createKey();
  }

  return {
    get state() {
      return state;
    },
    get tree() {
      tree ??= buildTree(state);
      return tree;
    },
    id: versions.id,
    isKey: versions.isKey,
    status: (): DriveStatus => ({
      unsaved: local.hasChanges(),
      ...(error !== undefined && { error }),
      problems: versions.problems(),
    }),
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /**
     * Makes a change: `decide` computes it from the drive as it is then. It is durable in the journal, and shown, once this
     * resolves; and stored soon.
     */
    change<T>(decide: Decide<T>): Promise<T> {
      return inOrder(async () => {
        const [change, result, plans = {}] = decide(clock.next());
        assertReadable(change);
        assertRoom(mergeStates(state, change));
        await local.record(change, plans, () => merge(change));
        schedule(JOIN_MS);
        return result;
      });
    },
    /** Reads the listing, and all that is new; stores what is not stored. Returns the other files of the account. */
    async sync(): Promise<ListedFile[]> {
      await local.takeOver(merge);
      const listing = await withNetwork(async () => {
        const found = await versions.pull(true, true);
        await versions.push();
        if (found) await versions.prune(found);
        return found;
      });
      report(undefined);
      notify();
      // Changes are stored meanwhile: a wallet may ask for long, and a node not respond.
      await versions.repairKey();
      return listing?.files ?? [];
    },
    /** Reads what other pages and processes have changed, as far as the journal has it. */
    readJournal: () => local.takeOver(merge),
    isClosed: () => isClosed,
    /** Stores what is not stored, and leaves the rest to another page or process. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      try {
        await inOrder(async () => undefined);
        await withNetwork(async () => {
          if (!versions.isUnsaved()) return versions.push();
          await store();
        });
      } finally {
        await local.release();
      }
    },
  };
}
