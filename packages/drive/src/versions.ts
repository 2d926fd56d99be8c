import { isKeeplightError } from "keeplight";
import { type Base, chooseBase, findChanged, shareObjects } from "./delta.ts";
import { createKeys } from "./keys.ts";
import type { Local } from "./local.ts";
import { type Manifest, parseFields, toFields } from "./manifest.ts";
import type { DriveMemory } from "./memory.ts";
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
import { type DriveState, emptyState, type Stamp } from "./state.ts";

/** How long after it was stored a version may be missing from the listing, in milliseconds. */
const LISTING_LAG_MS = 900_000;

/** Something that a service did, and that changed nothing here. */
export interface DriveProblem {
  /**
   * `rollback`: what was found is older than a version that was seen before; what was seen is kept, and stored again.
   * `missing`: a version is listed that no gateway serves; it is read as soon as one does.
   * `unreadable`: a file of the listing poses as a version of the drive or as its key, or is of a later version of this package.
   */
  kind: "rollback" | "missing" | "unreadable";
  /** Content id of the version that is missing, or of the file. */
  cid: string;
}

/** The drive as its device knows it. */
interface Known {
  state(): DriveState;
  /** Merges what was found into it. */
  merge(found: DriveState): void;
  /** Creates the stamp of a change. */
  stamp(): Stamp;
  /** Something else has changed that listeners show. */
  notify(): void;
}

/** Follows the stored versions of a drive: reads those that are new, and stores what none of them has. */
export function createVersions(remote: Remote, local: Local, known: Known) {
  const problems = new Map<string, DriveProblem>();
  /** Content ids of versions that are merged. */
  const merged = new Set<string>();
  /** What one of the versions has. */
  let stored: DriveState = emptyState;
  /** That version, if this page has read or stored it. */
  let whole: (Manifest & VersionLink) | undefined;
  const keys = createKeys(remote, local);
  /** The versions that the next one follows from. */
  let heads: readonly VersionLink[] = [];
  let seen: VersionLink | undefined;
  let seenAt = 0;
  /** What the next version builds on. */
  let base: Base | undefined;

  /** Whether something that is known is in no version, or only in several. */
  const isUnsaved = (): boolean => mergeStates(stored, known.state()) !== stored;
  const nextNumber = () => Math.max(0, ...heads.map((head) => head.number)) + 1;

  function addProblem(kind: DriveProblem["kind"], cid: string): void {
    if (problems.get(cid)?.kind === kind) return;
    problems.set(cid, { kind, cid });
    known.notify();
  }

  function include(version: FoundVersion): void {
    const { state } = version.manifest;
    for (const { cid } of [version, ...version.history]) {
      merged.add(cid);
      if (problems.get(cid)?.kind === "missing") problems.delete(cid);
    }
    known.merge(state);
    if (heads.some((head) => follows(head, version))) return;
    heads = [...heads.filter((head) => !follows(version, head)), version];
    if (mergeStates(state, known.state()) !== state) return;
    stored = state;
    whole = { ...version.manifest, cid: version.cid };
  }

  /**
   * Reads versions that are not merged yet, the newest first. What cannot be read is reported, and keeps no other from being
   * read or stored.
   *
   * @throws the error of a version, if none was ever read: the drive would seem to be empty
   */
  async function readNew(cids: readonly string[]): Promise<FoundVersion[]> {
    const found: FoundVersion[] = [];
    const named = new Set<string>();
    let failure: { error: unknown } | undefined;
    for (const cid of new Set(cids)) {
      if (merged.has(cid) || named.has(cid) || problems.get(cid)?.kind === "unreadable") continue;
      try {
        const version = await remote.read(cid, keys.list(), readBase);
        useBase(version);
        found.push(version);
        for (const each of version.history) named.add(each.cid);
      } catch (error) {
        const isInvalid = isKeeplightError(error, "INVALID_DRIVE");
        addProblem(isInvalid ? "unreadable" : "missing", cid);
        if (!isInvalid) failure ??= { error };
      }
    }
    if (failure && found.length === 0 && heads.length === 0) throw failure.error;
    return found;
  }

  async function readBase(cid: string): Promise<DriveState> {
    if (cid !== base?.cid) {
      const found = await remote.readBase(cid, keys.list());
      if (base && base.number > found.number) return found.state;
      base = found;
    }
    return base.state;
  }

  /** Later versions build on the latest one that has everything. */
  function useBase({ cid, number, manifest }: FoundVersion): void {
    if (manifest.base === undefined && number >= (base?.number ?? 0)) base = { cid, number, state: manifest.state };
  }

  /** Includes versions that were found. `links` has those that were found and known, too. */
  async function includeFound(found: readonly FoundVersion[], links: readonly VersionLink[], isComplete: boolean) {
    if (seen && isRollback(seen, links, isComplete)) {
      addProblem("rollback", seen.cid);
      // It is stored once more.
      stored = emptyState;
    }
    const before = found.length > 0 ? base : undefined;
    for (const version of found) include(version);
    if (before) base = shareObjects(before, known.state());
    const newest = found.find(({ cid }) => heads.length === 1 && heads[0]?.cid === cid);
    if (newest) await remember({ ...newest.manifest, cid: newest.cid });
    else if (found.length > 0 && whole?.state === stored && !isUnsaved())
      // Another page may have noted one that has less, and neither follows the other.
      await remember({ ...whole, history: joinHistory(heads).filter(({ cid }) => cid !== whole?.cid) });
  }

  async function remember(version: Manifest & VersionLink): Promise<void> {
    const link = { cid: version.cid, number: version.number, history: version.history };
    seen = link;
    const at = Date.now();
    seenAt = at;
    // One that does not build on the latest base is kept with everything.
    const own = base && (version.base ?? version.cid) === base.cid ? { ...base, base: undefined } : version;
    const changed = findChanged(own.state, version.state);
    await local.remember(
      (memory) => {
        // Another page may have seen a newer one.
        const isOlder = memory.seen && memory.seen.cid !== link.cid && follows(memory.seen, link);
        if (isOlder) return { keys: keys.list() };
        return {
          keys: keys.list(),
          seen: link,
          seenAt: at,
          base: own.cid,
          change: toFields({ ...version, state: changed }),
        };
      },
      () => toFields({ ...version, ...own, history: [] }),
    );
  }

  async function findKeys(cids: readonly string[]): Promise<void> {
    const unknown = cids.filter((cid) => !keys.has(cid) && !problems.has(cid));
    const found = await keys.find(unknown);
    for (const cid of unknown) if (!keys.has(cid)) addProblem("unreadable", cid);
    if (!found) return;
    // What could not be opened may be sealed by them.
    for (const [cid, { kind }] of problems) if (kind === "unreadable" && !unknown.includes(cid)) problems.delete(cid);
  }

  /** Deletes versions that are merged, and older than the last ones. */
  async function prune({ versions }: Listing): Promise<void> {
    const [head, ...others] = heads;
    if (!head || others.length > 0 || head.number <= KEPT_VERSIONS || isUnsaved()) return;
    const isKept = ({ number }: VersionId) => number > head.number - KEPT_VERSIONS;
    const kept = new Set([head, ...head.history].filter(isKept).map(({ cid }) => cid));
    const old = versions.filter(({ cid }) => merged.has(cid) && !kept.has(cid));
    // What stays is tried again the next time.
    for (const { id } of old) await remote.remove(id).catch(() => undefined);
  }

  /** Accounts whose plan has no names find the newest version by the listing. */
  async function createPointer(): Promise<void> {
    const name = await remote.createPointer().catch(() => undefined);
    if (name) known.merge({ entries: new Map(), pointer: [name, known.stamp()] });
  }

  return {
    isUnsaved,
    problems: (): DriveProblem[] => [...problems.values()],
    /** Id of the drive; empty until there is a key. */
    id: () => keys.first()?.drive ?? "",
    isKey: keys.isKey,

    /** Starts from what the journal has. */
    restore(memory: DriveMemory): void {
      keys.restore(memory);
      if (!memory.seen) return;
      seen = memory.seen;
      seenAt = memory.seenAt ?? 0;
      // After a sign-out only that is known: the versions are read again.
      if (!memory.change || !memory.base || !memory.baseManifest) return;
      heads = [seen];
      for (const { cid } of [seen, ...seen.history]) merged.add(cid);
      const kept = parseFields(memory.base, memory.baseManifest);
      if (kept.base === undefined) base = { cid: memory.base, number: kept.number, state: kept.state };
      known.merge(kept.state);
      known.merge(parseFields(seen.cid, memory.change).state);
      stored = known.state();
    },

    createKey: keys.create,
    repairKey: keys.repair,

    /**
     * Reads what other devices stored: by the name that leads to the newest version, or else all that the listing has.
     *
     * @param withFiles - whether the listing is to have the files that are not of the drive itself
     */
    async pull(isFull: boolean, withFiles = false): Promise<Listing | undefined> {
      const { pointer } = known.state();
      const pointed = pointer ? await remote.readPointer(pointer[0]) : undefined;
      if (!isFull && pointed !== undefined) {
        // A name may lead to an older version: nothing says which one was published last.
        const found = isOld(pointed) ? [] : await readNew([pointed]);
        await includeFound(found, [], false);
        if (heads.some(({ cid }) => cid === pointed)) return undefined;
      }
      const listing = await remote.list(withFiles);
      await findKeys(listing.keys);
      const cids = listing.versions.map(({ cid }) => cid);
      if (base && !cids.includes(base.cid)) base = undefined;
      const found = await readNew(cids);
      const listed = [...heads, ...(seen ? [seen] : [])].filter(({ cid }) => cids.includes(cid));
      await includeFound(found, [...found, ...listed], Date.now() - seenAt > LISTING_LAG_MS);
      const [head] = heads;
      if (pointer && head && pointed !== head.cid && heads.length === 1 && !isUnsaved()) await publish(head.cid);
      return listing;
    },

    prune,
    nextNumber,
    /** Stores what is known as a new version, unless one version has all of it. */
    async push(): Promise<void> {
      const key = keys.first();
      if (!key || !(isUnsaved() || local.hasChanges())) return;
      local.startSending();
      try {
        // Otherwise all of it is stored, and only the journal did not know.
        if (isUnsaved()) await store(key);
        await local.endSending(true);
      } catch (error) {
        await local.endSending(false);
        throw error;
      }
    },
  };

  /** Whether a version is merged in one that is known. */
  function isOld(cid: string): boolean {
    return merged.has(cid) && !heads.some((head) => head.cid === cid);
  }

  async function store(key: DriveKey): Promise<void> {
    if (!known.state().pointer) await createPointer();
    const state = known.state();
    const history = joinHistory(heads);
    const number = nextNumber();
    const facts = { drive: key.drive, owner: local.account, number, at: Date.now() };
    const manifest: Manifest = { ...facts, previous: heads.map(({ cid }) => cid), history, state };
    // What may be lost is nothing to build on.
    if ([...problems.values()].some(({ kind }) => kind !== "unreadable")) base = undefined;
    const changed = base && findChanged(base.state, state);
    const own = changed && chooseBase(base, changed, state, number);
    const cid = await remote.store(own ? { ...manifest, base: own.cid, state: changed } : manifest, key);
    if (!own) base = { cid, number, state };
    merged.add(cid);
    heads = [{ cid, number, history }];
    stored = state;
    whole = { ...manifest, base: own?.cid, cid };
    await remember(whole);
    await publish(cid);
  }

  /** The listing has the version, whether or not a name leads to it: what fails is tried again with the next version. */
  async function publish(cid: string): Promise<void> {
    const { pointer } = known.state();
    if (pointer) await remote.publish(pointer[0], cid).catch(() => undefined);
  }
}
