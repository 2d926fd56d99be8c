import { expect, test } from "vitest";
import { isGone, mergeStates, resolveNames, resolvePlaces } from "../src/merge.ts";
import { type DriveState, type EntryState, emptyState, type Register, TOP } from "../src/state.ts";
import {
  createRandom,
  randomCid,
  randomDevices,
  randomState,
  randomTriple,
  stampAt,
  toComparable,
} from "./random-states.ts";

const TRIPLES = 600;
const seeds = Array.from({ length: TRIPLES }, (_, at) => at + 1);

const random = createRandom(2024);
const [first, second, third] = [randomCid(random), randomCid(random), randomCid(random)];

const stateOf = (entries: Record<string, EntryState>): DriveState => ({ entries: new Map(Object.entries(entries)) });
const version = (time: number, device?: string) => ({ size: 5, added: stampAt(time, device) });

test("it does not matter which of two states is merged into the other", () => {
  for (const seed of seeds) {
    const [one, other] = randomTriple(seed);
    expect(toComparable(mergeStates(one, other)), `seed ${seed}`).toEqual(toComparable(mergeStates(other, one)));
  }
});

test("it does not matter which of three states are merged first", () => {
  for (const seed of seeds) {
    const [one, other, last] = randomTriple(seed);
    const left = mergeStates(mergeStates(one, other), last);
    const right = mergeStates(one, mergeStates(other, last));
    expect(toComparable(left), `seed ${seed}`).toEqual(toComparable(right));
  }
});

test("merging what is known already returns the same object", () => {
  for (const seed of seeds) {
    const [one, other] = randomTriple(seed);
    const merged = mergeStates(one, other);
    for (const known of [one, other, merged, emptyState])
      expect(mergeStates(merged, known), `seed ${seed}`).toBe(merged);
  }
});

test("merging does not change what is merged", () => {
  for (const seed of seeds.slice(0, 100)) {
    const [one, other] = randomTriple(seed);
    const before = [toComparable(one), toComparable(other)];
    mergeStates(one, other);
    expect([toComparable(one), toComparable(other)]).toEqual(before);
  }
});

test("a device that learns of the changes one by one, in any order and twice, has the same drive", () => {
  for (const seed of seeds.slice(0, 200)) {
    const { states, changes } = randomDevices(seed);
    const shuffled = createRandom(seed).shuffle([...changes, ...changes]);
    expect(toComparable(shuffled.reduce(mergeStates, emptyState)), `seed ${seed}`).toEqual(
      toComparable(states.reduce(mergeStates)),
    );
  }
});

test("a version is nothing new if only its fields are in another order", () => {
  const one = stateOf({ file: { files: { [first]: { size: 5, added: stampAt(1), type: "text/plain" } } } });
  const other = stateOf({ file: { files: { [first]: { size: 5, type: "text/plain", added: stampAt(1) } } } });
  expect(mergeStates(one, other)).toBe(one);
  expect(mergeStates(other, one)).toBe(other);
});

test("an entry without versions is nothing new to one of which none are known", () => {
  const known = stateOf({ file: { erased: [first] } });
  expect(mergeStates(known, stateOf({ file: { files: {}, erased: [first] } }))).toBe(known);
});

test("of a register the later value stays", () => {
  const early: EntryState = { parent: ["early", stampAt(1)], name: ["late", stampAt(4)], trashed: [true, stampAt(5)] };
  const late: EntryState = { parent: ["late", stampAt(2)], name: ["early", stampAt(3)], trashed: [false, stampAt(6)] };
  const merged = mergeStates(
    { ...stateOf({ id: early }), pointer: ["early", stampAt(1)] },
    { ...stateOf({ id: late }), pointer: ["late", stampAt(2)] },
  );
  expect(merged.entries.get("id")).toMatchObject({ parent: late.parent, name: early.name, trashed: late.trashed });
  expect(merged.pointer).toEqual(["late", stampAt(2)]);
});

test("of two values of one moment, that of the device whose name is later stays", () => {
  const one = stateOf({ id: { name: ["one", stampAt(1, "aaaaaa")] } });
  const other = stateOf({ id: { name: ["other", stampAt(1, "bbbbbb")] } });
  expect(mergeStates(one, other).entries.get("id")?.name?.[0]).toBe("other");
  expect(mergeStates(other, one).entries.get("id")?.name?.[0]).toBe("other");
});

test("a version that is restored on one device is the later one on all", () => {
  const known = stateOf({ id: { files: { [first]: version(1), [second]: version(2) } } });
  const restored = stateOf({ id: { files: { [first]: version(3) } } });
  const expected = { [first]: version(3), [second]: version(2) };
  expect(mergeStates(known, restored).entries.get("id")?.files).toEqual(expected);
  expect(mergeStates(restored, known).entries.get("id")?.files).toEqual(expected);
});

test("a file that is erased on one device comes back with the version that another one added meanwhile, only", () => {
  const known = stateOf({ id: { name: ["a", stampAt(1)], files: { [first]: version(1), [second]: version(2) } } });
  const erased = mergeStates(known, stateOf({ id: { erased: [first, second].sort() } }));
  expect(isGone(erased.entries.get("id") ?? {})).toBe(true);
  const added = mergeStates(known, stateOf({ id: { files: { [third]: version(1, "bbbbbb") } } }));
  for (const merged of [mergeStates(erased, added), mergeStates(added, erased)]) {
    const entry = merged.entries.get("id") ?? {};
    expect(isGone(entry)).toBe(false);
    expect(entry).toMatchObject({ name: ["a", stampAt(1)], files: { [third]: version(1, "bbbbbb") } });
    expect(Object.keys(entry.files ?? {})).toEqual([third]);
  }
});

test("a version that is deleted for good does not come back, even if it was restored later", () => {
  const erased = stateOf({ id: { erased: [first] } });
  const restored = stateOf({ id: { files: { [first]: version(9) } } });
  for (const merged of [mergeStates(erased, restored), mergeStates(restored, erased)])
    expect(isGone(merged.entries.get("id") ?? {})).toBe(true);
});

test("every entry that is not deleted is in one place, from which the top is reached", () => {
  const kinds = new Set<string>();
  for (const seed of seeds) {
    const state = randomState(seed, 20);
    const places = resolvePlaces(state);
    const shown = [...state.entries].filter(([, entry]) => !isGone(entry)).map(([id]) => id);
    expect([...places.keys()].sort()).toEqual(shown.sort());
    for (const [start, { parent, conflict }] of places) {
      const passed = new Set<string>();
      for (let id = start; id !== TOP; id = places.get(id)?.parent ?? "nowhere") {
        if (passed.has(id) || !places.has(id)) expect.fail(`seed ${seed}: ${start} does not lead to the top`);
        passed.add(id);
      }
      if (parent !== TOP) expect(state.entries.get(parent)?.folder).toBe(true);
      // What is where it was put has no conflict, and the other way round.
      expect(conflict === undefined, `seed ${seed}`).toBe(parent === (state.entries.get(start)?.parent?.[0] ?? TOP));
      kinds.add(conflict ?? "none");
    }
    const shuffled = new Map(createRandom(seed).shuffle([...state.entries]));
    expect(resolvePlaces({ entries: shuffled })).toEqual(places);
  }
  expect([...kinds].sort()).toEqual(["cycle", "gone", "none"]);
});

const folderIn = (parent: string, time: number): EntryState => ({ folder: true, parent: [parent, stampAt(time)] });

test("what two devices moved into each other is at the top where the last move closed the cycle", () => {
  const state = stateOf({ a: folderIn("b", 1), b: folderIn("c", 3), c: folderIn("a", 2), inB: folderIn("b", 9) });
  expect(Object.fromEntries(resolvePlaces(state))).toEqual({
    a: { parent: "b" },
    b: { parent: TOP, conflict: "cycle" },
    c: { parent: "a" },
    inB: { parent: "b" },
  });
  expect(resolvePlaces(stateOf({ a: folderIn("a", 1) })).get("a")).toEqual({ parent: TOP, conflict: "cycle" });
});

test("what is in a deleted folder, an unknown one or a file is at the top", () => {
  const state = stateOf({
    deleted: { ...folderIn(TOP, 1), erased: [] },
    file: { parent: [TOP, stampAt(1)], files: { [first]: version(1) } },
    inDeleted: folderIn("deleted", 2),
    inUnknown: folderIn("unknown", 2),
    inFile: folderIn("file", 2),
    withoutParent: { files: { [second]: version(2) } },
  });
  const gone = { parent: TOP, conflict: "gone" };
  expect(Object.fromEntries(resolvePlaces(state))).toEqual({
    file: { parent: TOP },
    inDeleted: gone,
    inUnknown: gone,
    inFile: gone,
    withoutParent: { parent: TOP },
  });
});

test("all names of a folder differ, the oldest keeps its own, in whichever order the entries are", () => {
  const names = ["a", "a (2)", "a (3)", "a (2) (2)", "a.txt", "a (2).txt", ".a", ".a (2)", "", "b.tar.gz"];
  for (const seed of seeds) {
    const numbers = createRandom(seed);
    const siblings = Array.from({ length: 1 + numbers.integer(12) }, (_, at) => {
      const name: Register<string> = [
        numbers.pick(names),
        stampAt(numbers.integer(5), numbers.pick(["aaaaaa", "bbbbbb"])),
      ];
      return [`id ${at}`, name] as const;
    });
    const resolved = resolveNames(siblings);
    expect([...resolved.keys()].sort()).toEqual(siblings.map(([id]) => id).sort());
    expect(new Set(resolved.values()).size, `seed ${seed}`).toBe(siblings.length);
    for (const name of new Set(siblings.map(([, [each]]) => each))) {
      const ages = siblings.filter(([, [each]]) => each === name).map(([id, [, stamp]]) => `${stamp} ${id}`);
      const oldest = ages.sort()[0]?.replace(/^\S+ /, "") ?? "";
      expect(resolved.get(oldest), `seed ${seed}`).toBe(name);
    }
    expect(resolveNames(numbers.shuffle(siblings))).toEqual(resolved);
  }
});

test("a number is put before the extension, and after a name that only starts with a dot", () => {
  const show = (name: string) =>
    resolveNames([
      ["1", [name, stampAt(1)]],
      ["2", [name, stampAt(2)]],
    ]).get("2");
  expect(["photo.jpg", "photo", ".profile", "a.tar.gz"].map(show)).toEqual([
    "photo (2).jpg",
    "photo (2)",
    ".profile (2)",
    "a.tar (2).gz",
  ]);
});
