import { invalidOption } from "keeplight/parts";
import {
  type Change,
  checkName,
  type EntryLike,
  erase,
  listBelow,
  move,
  rename,
  requireEntry,
  requireFolder,
  restore,
  restoreVersion,
  trash,
} from "./changes.ts";
import type { Core } from "./core.ts";
import type { Drive } from "./drive.ts";
import { mergeAll } from "./merge.ts";
import type { DriveState, Stamp } from "./state.ts";
import type { DriveEntry } from "./tree.ts";

type OneOrMore = EntryLike | readonly EntryLike[];

/** An entry for one, a list for a list: both overloads of a call return it. */
type Changed = DriveEntry & DriveEntry[];

/** What changes entries needs. */
interface Needs {
  core: Core;
  /** Throws once the drive is closed. */
  assertOpen(): void;
  sync(): Promise<unknown>;
  /** Ends the links to all of these content ids. */
  endLinks(cids: ReadonlySet<string>): Promise<void>;
}

/** The calls that change entries: each makes one change, of one entry or of all that are listed, or none. */
export function createEntryChanges({
  core,
  assertOpen,
  sync,
  endLinks,
}: Needs): Pick<Drive, "move" | "rename" | "trash" | "restore" | "remove"> {
  const find = (given: OneOrMore) => [given].flat().map((entry) => requireEntry(core.tree, entry as EntryLike));

  /** Returns entries as they are now: what is moved meanwhile stays the same entry. */
  function findAgain(entries: readonly DriveEntry[]): DriveEntry[] {
    return entries.map(({ id, path }) => {
      const found = core.tree.get(id);
      if (!found) throw invalidOption("entry", `a file or folder that is not deleted, unlike ${path}`);
      return found;
    });
  }

  /** Makes a change of entries, and returns them as they are afterwards. */
  async function change(
    given: OneOrMore,
    decide: (found: readonly DriveEntry[], stamp: Stamp) => Change,
  ): Promise<Changed> {
    const known = find(given);
    assertOpen();
    if (known.length > 0) await core.change((stamp) => [decide(findAgain(known), stamp), undefined]);
    const changed = findAgain(known);
    return (Array.isArray(given) ? changed : changed[0]) as Changed;
  }

  /** Returns what is known of entries, and of all that is in them. */
  function readBelow(entries: readonly DriveEntry[]): DriveState {
    const ids = entries.flatMap((entry) => listBelow(core.tree, entry).map(({ id }) => id));
    return { entries: new Map(ids.map((id) => [id, core.state.entries.get(id) ?? {}])) };
  }

  return {
    async move(given: OneOrMore, folder: EntryLike) {
      const parent = requireFolder(core.tree, folder);
      return change(given, (found, stamp) => move(core.tree, core.state, found, parent, stamp));
    },
    async rename(entry, name) {
      const checked = checkName(name);
      return change(entry, ([found], stamp) => rename(core.tree, found as DriveEntry, checked, stamp));
    },
    async trash(given: OneOrMore) {
      return change(given, (found, stamp) => mergeAll(found.map((entry) => trash(entry, stamp))));
    },
    async restore(given: OneOrMore, { version }: { version?: string | undefined } = {}) {
      if (version !== undefined && Array.isArray(given)) throw invalidOption("version", "one file, and no list");
      return change(given, (found, stamp) => {
        if (version === undefined) return restore(core.tree, core.state, found, stamp);
        return restoreVersion(core.state, found[0] as DriveEntry, version, stamp);
      });
    },
    async remove(given) {
      const known = find(given);
      assertOpen();
      if (known.length === 0) return;
      // What another device has moved out of a folder, or out of the trash, is not deleted; nor what it has added since.
      const seen = readBelow(known);
      await sync();
      const erased = () => mergeAll(findAgain(known).map((entry) => erase(core.tree, seen, entry)));
      if (findAgain(known).every(({ trashed }) => trashed)) await endLinks(listErased(erased()));
      await core.change(() => {
        const kept = findAgain(known).find(({ trashed }) => !trashed);
        if (kept) throw invalidOption("entry", `a file or folder in the trash, unlike ${kept.path}`);
        return [erased(), undefined];
      });
      await sync();
    },
  };
}

/** Lists the content ids of what a change deletes for good. */
const listErased = ({ entries }: Change) => new Set([...entries.values()].flatMap(({ erased = [] }) => erased));
