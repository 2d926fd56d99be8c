import { mergeStates, type VersionId } from "./merge.ts";
import type { DriveState } from "./state.ts";

// A version of a drive need not repeat what an earlier one has: it may have only what changed since, and name its base.

/** A version that has everything, on which later ones build. */
export interface Base extends VersionId {
  state: DriveState;
}

/** How many versions build on one: then the next one has everything again. The last versions that are kept include its base. */
export const MAX_DELTAS = 20;

/** A version has everything, if more than one in so many entries changed. */
const CHANGED_SHARE = 4;

/** Returns what a state has that a base does not: entries as a whole. The state is one that the base was merged into. */
export function findChanged(base: DriveState, state: DriveState): DriveState {
  // Whatever of the base has nothing new stays the same object.
  const merged = mergeStates(base, state);
  const entries = new Map([...merged.entries].filter(([id, entry]) => base.entries.get(id) !== entry));
  const shared = new Map([...(merged.shared ?? [])].filter(([cid, item]) => base.shared?.get(cid) !== item));
  const contacts = new Map([...(merged.contacts ?? [])].filter(([id, item]) => base.contacts?.get(id) !== item));
  return { ...merged, entries, shared, contacts };
}

/** Returns a base whose entries are the objects of a state that it was merged into, where they are equal: so they compare fast. */
export function shareObjects(base: Base, state: DriveState): Base {
  const changed = findChanged(base.state, state);
  const entries = new Map(
    [...base.state.entries].map(([id, entry]) => {
      return [id, (changed.entries.has(id) ? entry : state.entries.get(id)) ?? entry];
    }),
  );
  return { ...base, state: { ...base.state, entries } };
}

/** Decides on what the next version builds; `undefined` if it is to have everything. */
export function chooseBase(base: Base | undefined, changed: DriveState, state: DriveState, number: number) {
  if (!base || number - base.number > MAX_DELTAS) return undefined;
  return countEntries(changed) * CHANGED_SHARE <= countEntries(state) ? base : undefined;
}

const countEntries = ({ entries, shared, contacts }: DriveState): number =>
  entries.size + (shared?.size ?? 0) + (contacts?.size ?? 0);
