import { isKeeplightError, type ListedFile } from "keeplight";
import type { Change } from "./changes.ts";
import type { DriveMemory, Local } from "./local.ts";
import { assertReadable, type Manifest, parseFields, toFields } from "./manifest.ts";
import {
  follows,
  isRollback,
  joinHistory,
  KEPT_VERSIONS,
  mergeStates,
  type VersionId,
  type VersionLink,
} from "./merge.ts";
import type { FoundVersion, Listing, Remote } from "./remote.ts";
import type { DriveKey } from "./seal.ts";
import { createClock, type DriveState, type EntryState, emptyState, type Stamp } from "./state.ts";
import { buildTree, type Tree } from "./tree.ts";

/** Changes of this time, in milliseconds, are stored in one version. */
const JOIN_MS = 2_000;

/** How long after it was stored a version may be missing from the listing, in milliseconds. */
const LISTING_LAG_MS = 900_000;

/** How long to wait after a version could not be stored, in milliseconds; doubled for each further failure. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

/** Something that a service did, and that changed nothing here. */
export interface DriveProblem {
  /**
   * `rollback`: what was found is older than a version that was seen before; what was seen is kept, and stored again.
   * `unreadable`: a file of the listing poses as a version of the drive, or is of a later version of this package.
   */
  kind: "rollback" | "unreadable";
  /** Content id of the version that is missing, or of the file. */
  cid: string;
}

/** How a drive is doing. */
export interface DriveStatus {
  /** Whether there are changes that only this device's journal has. */
  unsaved: boolean;
  /** Why they could not be stored, or the newest version not be read, the last time. */
  error?: unknown;
  problems: readonly DriveProblem[];
}

/** Computes a change, what the call returns, and the plans of uploads that change with it. */
type Decide<T> = (stamp: Stamp) => readonly [change: Change, result: T, plans?: Parameters<Local["record"]>[1]];

export type Core = Awaited<ReturnType<typeof createCore>>;

/** The state of a drive, which follows the network and the journal; see docs/drive.md. */
export async function createCore(remote: Remote, local: Local, journal: { place: string }) {
  const { account } = local;
  const clock = createClock(Date.now);
  const listeners = new Set<() => void>();
  const problems = new Map<string, DriveProblem>();
  /** Content ids of versions that are merged. */
  const merged = new Set<string>();
  let state: DriveState = emptyState;
  /** What one stored version has. */
  let stored: DriveState = emptyState;
  let tree: Tree | undefined;
  let keys: readonly DriveKey[] = [];
  /** The versions that the next one follows from. */
  let heads: readonly VersionLink[] = [];
  let seen: VersionLink | undefined;
  let seenAt = 0;
  let error: unknown;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let network: Promise<unknown> = Promise.resolve();
  let changes: Promise<unknown> = Promise.resolve();

  function setState(next: DriveState): void {
    if (next === state) return;
    for (const [id, entry] of next.entries) if (entry !== state.entries.get(id)) observe(entry);
    state = next;
    tree = undefined;
    for (const listener of listeners) listener();
  }

  /** Later changes of this device win over all that it has seen. */
  function observe({ parent, name, trashed, files = {} }: EntryState): void {
    const stamps = [parent, name, trashed].flatMap((register) => (register ? register[1] : []));
    for (const stamp of [...stamps, ...Object.values(files).map(({ added }) => added)]) clock.observe(stamp);
  }

  function include(version: FoundVersion): void {
    merged.add(version.cid);
    setState(mergeStates(state, version.manifest.state));
    if (heads.some((head) => follows(head, version))) return;
    heads = [...heads.filter((head) => !follows(version, head)), version];
    if (!isNew(version.manifest.state)) stored = version.manifest.state;
  }

  /** Whether something that is known is not in this state. */
  const isNew = (known: DriveState) => mergeStates(known, state) !== known;

  /** Reads versions that are not merged yet. One that cannot be opened is reported, and one that is not served throws. */
  async function readNew(cids: readonly string[]): Promise<FoundVersion[]> {
    const found: FoundVersion[] = [];
    for (const cid of new Set(cids)) {
      if (merged.has(cid) || problems.get(cid)?.kind === "unreadable") continue;
      try {
        found.push(await remote.read(cid, keys));
      } catch (cause) {
        if (!isKeeplightError(cause, "INVALID_DRIVE")) throw cause;
        problems.set(cid, { kind: "unreadable", cid });
      }
    }
    return found;
  }

  async function remember(version: Manifest & VersionLink): Promise<void> {
    seen = { cid: version.cid, number: version.number, history: version.history };
    seenAt = Date.now();
    await local.remember((known) => {
      // Another page may have seen a newer one.
      const isOlder = known.seen && seen && follows(known.seen, seen) && known.seen.cid !== seen.cid;
      return { keys, ...(isOlder ? {} : { seen, manifest: toFields(version) }) };
    });
  }

  async function pull(isFull: boolean): Promise<Listing | undefined> {
    const pointed = state.pointer && !isFull ? await remote.readPointer(state.pointer[0]) : undefined;
    if (pointed !== undefined) {
      const found = await readNew([pointed]);
      const known = heads.filter(({ cid }) => cid === pointed);
      const older = (seen?.history ?? [])
        .filter(({ cid }) => cid === pointed)
        .map((version) => ({ ...version, history: [] }));
      await includeFound(found, [...found, ...known, ...older], false);
      return undefined;
    }
    const listing = await remote.list();
    await findKeys(listing.keys);
    const cids = listing.versions.map(({ cid }) => cid);
    const found = await readNew(cids);
    const known = [...heads, ...(seen ? [seen] : [])].filter(({ cid }) => cids.includes(cid));
    await includeFound(found, [...found, ...known], Date.now() - seenAt > LISTING_LAG_MS);
    await prune(listing);
    return listing;
  }

  /** Includes versions that were found. `links` has those that were found and known, too. */
  async function includeFound(found: readonly FoundVersion[], links: readonly VersionLink[], isComplete: boolean) {
    if (seen && isRollback(seen, links, isComplete)) {
      problems.set(seen.cid, { kind: "rollback", cid: seen.cid });
      // It is stored once more.
      stored = emptyState;
    }
    for (const version of found) include(version);
    const newest = found.find(({ cid }) => heads.length === 1 && heads[0]?.cid === cid);
    if (newest) await remember({ ...newest.manifest, cid: newest.cid });
    if (isNew(stored)) schedule(JOIN_MS);
  }

  /** Two devices may have created a drive each: the older one is the drive, and versions of both are read. */
  async function findKeys(cids: readonly string[]): Promise<void> {
    const unknown = cids.filter((cid) => !keys.some(({ drive }) => drive === cid));
    if (unknown.length === 0) return;
    const found = await Promise.all(cids.map(remote.readKey));
    const own = found
      .flatMap((key) => key ?? [])
      .sort((one, other) => one.createdAt - other.createdAt || (one.drive < other.drive ? -1 : 1));
    const listed = own.map(({ drive, key }) => ({ drive, key }));
    const others = keys.filter(({ drive }) => !listed.some((each) => each.drive === drive));
    if (listed.length === 0) return;
    keys = [...listed, ...others];
    await local.remember(() => ({ keys }));
  }

  /** Deletes versions that are merged, and older than the last ones. */
  async function prune({ versions }: Listing): Promise<void> {
    const [head, ...others] = heads;
    if (!head || others.length > 0 || head.number <= KEPT_VERSIONS || isNew(stored)) return;
    const isKept = ({ number }: VersionId) => number > head.number - KEPT_VERSIONS;
    const kept = new Set([head, ...head.history].filter(isKept).map(({ cid }) => cid));
    const old = versions.filter(({ cid }) => merged.has(cid) && !kept.has(cid));
    // What stays is tried again the next time.
    for (const { id } of old) await remote.remove(id).catch(() => undefined);
  }

  /** Stores what is known as a new version, unless one version has all of it. */
  async function push(): Promise<void> {
    const [key] = keys;
    if (!key || !isNew(stored)) return;
    local.startSending();
    try {
      if (!state.pointer) await createPointer();
      const history = joinHistory(heads);
      const number = Math.max(0, ...heads.map((head) => head.number)) + 1;
      const previous = heads.map(({ cid }) => cid);
      const manifest: Manifest = { drive: key.drive, owner: account, number, at: Date.now(), previous, history, state };
      const cid = await remote.store(manifest, key);
      merged.add(cid);
      heads = [{ cid, number, history }];
      stored = manifest.state;
      await remember({ ...manifest, cid });
      await local.endSending(true);
      // The listing has the version, whether or not a name leads to it.
      if (state.pointer) await remote.publish(state.pointer[0], cid).catch(() => undefined);
      for (const [at, { kind }] of problems) if (kind === "rollback") problems.delete(at);
    } catch (cause) {
      await local.endSending(false);
      throw cause;
    }
  }

  async function createPointer(): Promise<void> {
    // Accounts whose plan has no names find the newest version by the listing.
    const name = await remote.createPointer().catch(() => undefined);
    if (name) setState(mergeStates(state, { entries: new Map(), pointer: [name, clock.next()] }));
  }

  /** Runs work with the network after all that was started before. */
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = network.then(work, work);
    network = result.catch(() => undefined);
    return result;
  }

  function schedule(afterMs: number): void {
    if (timer !== undefined || isClosed) return;
    timer = setTimeout(async () => {
      timer = undefined;
      try {
        await inOrder(async () => {
          await pull(false);
          await push();
        });
        report(undefined);
      } catch (cause) {
        report(cause);
        schedule(Math.min(RETRY_MS * 2 ** failures++, MAX_RETRY_MS));
      }
    }, afterMs);
    (timer as { unref?: () => void }).unref?.();
  }

  function report(cause: unknown): void {
    if (cause === undefined) failures = 0;
    const isNew = cause !== error;
    error = cause;
    if (isNew) for (const listener of listeners) listener();
  }

  /** Restores what the journal has: `undefined` for a drive that it does not know. */
  async function open(): Promise<void> {
    const known = await local.read();
    if (known) restore(known);
    const { change } = await local.takeOver();
    if (known && keys.length > 0) {
      setState(mergeStates(state, change));
      // What is known is shown, even if the network is not there.
      await inOrder(() => pull(false)).then(() => report(undefined), report);
      if (isNew(stored)) schedule(JOIN_MS);
      return;
    }
    await inOrder(() => pull(true));
    if (keys.length === 0) {
      keys = [await remote.createKey(journal)];
      await local.remember(() => ({ keys }));
    }
    setState(mergeStates(state, change));
    if (isNew(stored)) schedule(JOIN_MS);
  }

  function restore(known: DriveMemory): void {
    keys = known.keys;
    if (!known.seen) return;
    seen = known.seen;
    heads = [seen];
    merged.add(seen.cid);
    for (const { cid } of seen.history) merged.add(cid);
    if (known.manifest) setState(parseFields(seen.cid, known.manifest).state);
    stored = state;
  }

  await open();

  return {
    get state() {
      return state;
    },
    get tree() {
      tree ??= buildTree(state);
      return tree;
    },
    id: () => keys[0]?.drive ?? "",
    status: (): DriveStatus => ({
      unsaved: local.hasChanges(),
      ...(error !== undefined && { error }),
      problems: [...problems.values()],
    }),
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /**
     * Makes a change: `decide` computes it from the drive as it is now. It is durable in the journal, and shown, once this
     * resolves; and stored soon.
     */
    change<T>(decide: Decide<T>): Promise<T> {
      const made = changes.then(async () => {
        const [change, result, plans] = decide(clock.next());
        assertReadable(change);
        await local.record(change, plans);
        setState(mergeStates(state, change));
        schedule(JOIN_MS);
        return result;
      });
      changes = made.catch(() => undefined);
      return made;
    },
    /** Reads the listing, and all that is new; stores what is not stored. Returns the other files of the account. */
    async sync(): Promise<ListedFile[]> {
      const listing = await inOrder(async () => {
        const found = await pull(true);
        await push();
        return found;
      });
      report(undefined);
      return listing?.files ?? [];
    },
    /** Stores what is not stored, and leaves the rest to another page or process. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      try {
        await changes;
        await inOrder(async () => {
          if (!isNew(stored)) return;
          await pull(false);
          await push();
        });
      } finally {
        await local.release();
      }
    },
  };
}
