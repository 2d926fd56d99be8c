import { addFile, type Change, erase } from "../src/changes.ts";
import { mergeStates } from "../src/merge.ts";
import { toSharedId } from "../src/shared-rows.ts";
import {
  type DriveState,
  type EntryState,
  emptyState,
  type FileVersion,
  type SharedState,
  type Stamp,
  TOP,
} from "../src/state.ts";
import { buildTree } from "../src/tree.ts";

// Drives that random changes on several devices lead to. All of it follows from a seed.

/** Numbers that follow from a seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** From 0 to below this. */
  const integer = (below: number) => Math.floor(next() * below);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[integer(items.length)];
    if (item === undefined) throw new Error("Nothing to pick from");
    return item;
  };
  const text = (characters: string, length: number) =>
    Array.from({ length }, () => characters[integer(characters.length)]).join("");
  const shuffle = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, at: next() }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item);
  return { integer, pick, text, shuffle, chance: (share: number) => next() < share };
}

export type Random = ReturnType<typeof createRandom>;

const ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export const randomId = (random: Random): string => random.text(ID_CHARACTERS, 16);

export const randomCid = (random: Random): string => `bafkrei${random.text("abcdefghijklmnopqrstuvwxyz234567", 52)}`;

/** The stamp of a device, of which the name has 6 characters. */
export const stampAt = (time: number, device = "device"): Stamp => time.toString(36).padStart(9, "0") + device;

/** Few, so that entries of one name are usual. */
const NAMES = ["a", "a (2)", "a (3)", "a.txt", "a (2).txt", ".a", "été", "b.tar.gz"];

function randomFile(random: Random): Omit<FileVersion, "added"> {
  return {
    size: random.integer(2 ** 40),
    commitment: random.text("0123456789abcdef", 64),
    ...(random.chance(0.5) && { chunkProfile: "unixfs-v1-2025" }),
    ...(random.chance(0.5) && { modified: 1 + random.integer(2 ** 41) }),
    ...(random.chance(0.5) && { type: "text/plain" }),
  };
}

/** Makes one of the versions of a file the current one. */
function restoreAny(random: Random, { files = {} }: EntryState, stamp: Stamp): EntryState["files"] {
  const versions = Object.entries(files);
  if (versions.length === 0) return undefined;
  const [cid, version] = random.pick(versions);
  return { [cid]: { ...version, added: stamp } };
}

/** A file of somebody else is shared, once more, or removed. */
function randomReceipt(random: Random, { shared = new Map() }: DriveState, stamp: Stamp): Change {
  const known = [...shared.values()];
  const cid = known.length === 0 || random.chance(0.4) ? randomCid(random) : random.pick(known).file[0].cid;
  const hex = () => random.text("0123456789abcdef", 64);
  const source = random.chance(0.5)
    ? { from: random.pick(["0xa", "0xb"]), sentAt: 1 }
    : { key: hex(), commitment: hex() };
  const facts = {
    cid,
    name: random.pick(NAMES),
    ...source,
    ...(random.chance(0.5) && { size: random.integer(2 ** 40) }),
  };
  const item: SharedState = {
    file: [facts, stamp],
    ...(random.chance(0.5) && { removed: [random.chance(0.5), stamp] }),
  };
  return { entries: new Map(), shared: new Map([[toSharedId(facts), item]]) };
}

/** An address is named, once more, or its name is removed. */
function randomContact(random: Random, { contacts = new Map() }: DriveState, stamp: Stamp): Change {
  const isNew = contacts.size === 0 || random.chance(0.4);
  const address = isNew ? `0x${random.text("0123456789abcdef", 40)}` : random.pick([...contacts.keys()]);
  const facts = { name: random.pick(NAMES), note: random.pick(["", "met in Bonn"]) };
  return { entries: new Map(), contacts: new Map([[address, [random.chance(0.8) ? facts : null, stamp]]]) };
}

/** One change of a state, also such as no call makes: into itself, of what is gone, without a parent or a name. */
function randomChange(random: Random, state: DriveState, stamp: Stamp): Change {
  const known = [...state.entries.keys()];
  const parent = () => random.pick([TOP, ...known]);
  const name = () => random.pick(NAMES);
  const id = known.length === 0 || random.chance(0.35) ? randomId(random) : random.pick(known);
  const one = (entry: EntryState): Change => ({ entries: new Map([[id, entry]]) });
  if (!known.includes(id)) {
    const placed: EntryState = {
      ...(random.chance(0.9) && { parent: [parent(), stamp] }),
      ...(random.chance(0.9) && { name: [name(), stamp] }),
    };
    if (random.chance(0.5)) return one({ folder: true, ...placed });
    if (random.chance(0.1)) return one(placed);
    return one({ ...placed, files: { [randomCid(random)]: { ...randomFile(random), added: stamp } } });
  }
  const entry = state.entries.get(id) ?? {};
  if (random.chance(0.1)) return randomReceipt(random, state, stamp);
  if (random.chance(0.1)) return randomContact(random, state, stamp);
  switch (random.pick(["move", "move", "rename", "trash", "version", "restore", "erase", "pointer"])) {
    case "move":
      return one({ parent: [parent(), stamp] });
    case "rename":
      return one({ name: [name(), stamp] });
    case "trash":
      return one({ trashed: [random.chance(0.7), stamp] });
    case "pointer":
      return { entries: new Map(), pointer: [random.text("k0123456789", 12), stamp] };
    case "erase": {
      const tree = buildTree(state);
      const found = tree.get(id);
      return found && random.chance(0.5) ? erase(tree, state, found) : emptyState;
    }
    case "restore":
      return one({ files: restoreAny(random, entry, stamp) });
  }
  if (entry.folder) return emptyState;
  return addFile(state, { id, cid: randomCid(random), file: randomFile(random) }, stamp);
}

/** Drives of several devices that started with one, changed it for themselves, and now and then learned of each other. */
export function randomDevices(seed: number, changes = 12): { states: DriveState[]; changes: Change[] } {
  const random = createRandom(seed);
  const all: Change[] = [];
  const times = Array.from({ length: 2 + random.integer(2) }, () => 1);
  let states = times.map(() => emptyState);
  const changeOn = (device: number) => {
    const time = (times[device] ?? 0) + 1 + random.integer(3);
    times[device] = time;
    const change = randomChange(random, states[device] ?? emptyState, stampAt(time, `phone${device}`));
    all.push(change);
    states = states.map((state, at) => (at === device ? mergeStates(state, change) : state));
  };
  for (let at = 0; at < changes / 2; at++) changeOn(0);
  states = states.map(() => states[0] ?? emptyState);
  for (let at = 0; at < changes * states.length; at++) {
    const device = random.integer(states.length);
    changeOn(device);
    const other = random.pick(states);
    if (random.chance(0.05))
      states = states.map((state, each) => (each === device ? mergeStates(state, other) : state));
  }
  return { states, changes: all };
}

/** The drive once all devices know of all changes. */
export function randomState(seed: number, changes?: number): DriveState {
  return randomDevices(seed, changes).states.reduce(mergeStates);
}

/** Three states for which the order of merging might matter. */
export function randomTriple(seed: number): [DriveState, DriveState, DriveState] {
  const { states, changes } = randomDevices(seed);
  const [one = emptyState, other = emptyState, third = changes[seed % changes.length] ?? emptyState] = states;
  return [one, other, third];
}

/** A state in one form, whatever the order in which it came about. A list of no versions is the same as none. */
export function toComparable({ entries, contacts, pointer }: DriveState): unknown {
  const byId = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);
  const sorted = [...entries].sort(byId);
  const people = [...(contacts ?? [])].sort(byId);
  const toSorted = (field: string, value: unknown) =>
    field === "files" && Object.keys(value ?? {}).length === 0
      ? undefined
      : value === null || typeof value !== "object" || Array.isArray(value)
        ? value
        : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  return JSON.parse(JSON.stringify({ sorted, people, pointer }, toSorted));
}
