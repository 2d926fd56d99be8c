import { expect, test } from "vitest";
import { isGone, mergeStates } from "../src/merge.ts";
import { type DriveState, type EntryState, TOP } from "../src/state.ts";
import { buildTree, listVersions } from "../src/tree.ts";
import { createRandom, randomCid, randomState, stampAt } from "./random-states.ts";

const SEEDS = Array.from({ length: 500 }, (_, at) => at + 1);

const random = createRandom(7);
const [first, second, third] = [randomCid(random), randomCid(random), randomCid(random)];

const stateOf = (entries: Record<string, EntryState>): DriveState => ({ entries: new Map(Object.entries(entries)) });

const fileAt = (parent: string, name: string, time: number, cid = first): EntryState => ({
  parent: [parent, stampAt(time)],
  name: [name, stampAt(time)],
  files: { [cid]: { size: 5, added: stampAt(time) } },
});

const folderAt = (parent: string, name: string, time: number): EntryState => ({
  folder: true,
  parent: [parent, stampAt(time)],
  name: [name, stampAt(time)],
});

test("every entry that is not deleted is in the tree once, also in the list of its folder", () => {
  for (const seed of SEEDS) {
    const state = randomState(seed, 20);
    const tree = buildTree(state);
    const all = [...tree.all()];
    const shown = [...state.entries].filter(([, entry]) => !isGone(entry)).map(([id]) => id);
    expect(all.map(({ id }) => id).sort(), `seed ${seed}`).toEqual(shown.sort());
    const listed = [TOP, ...shown].flatMap((id) => tree.children(id));
    expect(new Set(listed)).toEqual(new Set(all));
    expect(listed).toHaveLength(all.length);
    for (const entry of all) {
      expect(tree.get(entry.id)).toBe(entry);
      expect(tree.children(entry.parent)).toContain(entry);
    }
  }
});

test("paths are unique outside of the trash, and find returns the entry of a path", () => {
  for (const seed of SEEDS) {
    const tree = buildTree(randomState(seed, 20));
    const all = [...tree.all()];
    const paths = all.filter(({ trashed }) => !trashed).map(({ path }) => path);
    expect(new Set(paths).size, `seed ${seed}`).toBe(paths.length);
    for (const entry of all) {
      if (!entry.trashed) expect(tree.find(entry.path), `seed ${seed}`).toBe(entry);
      else expect(tree.find(entry.path)?.id).not.toBe(entry.id);
    }
  }
});

test("a path is that of the folder and the name, and what is in the trash has all in it there", () => {
  for (const seed of SEEDS) {
    const state = randomState(seed, 20);
    const tree = buildTree(state);
    for (const { id, name, path, parent, trashed } of tree.all()) {
      const folder = tree.get(parent);
      expect(folder?.type ?? "folder").toBe("folder");
      expect(path).toBe(folder ? `${folder.path}/${name}` : name);
      const own = state.entries.get(id)?.trashed?.[0] ?? false;
      expect(trashed, `seed ${seed}`).toBe(own || (folder?.trashed ?? false));
    }
  }
});

test("the tree is the same in whichever order the entries are", () => {
  for (const seed of SEEDS.slice(0, 200)) {
    const state = randomState(seed, 20);
    const shuffled = { entries: new Map(createRandom(seed).shuffle([...state.entries])) };
    const byId = (each: DriveState) => new Map([...buildTree(each).all()].map((entry) => [entry.id, entry]));
    expect(byId(shuffled), `seed ${seed}`).toEqual(byId(state));
  }
});

test("a file is described by its current version", () => {
  const file: EntryState = {
    ...fileAt(TOP, "a.txt", 1),
    files: {
      [first]: { size: 5, added: stampAt(1) },
      [second]: { size: 6, added: stampAt(2), type: "text/plain", modified: 1, commitment: "ab", chunkProfile: "c" },
    },
  };
  expect(buildTree(stateOf({ file })).get("file")).toEqual({
    type: "file",
    id: "file",
    name: "a.txt",
    path: "a.txt",
    parent: TOP,
    trashed: false,
    cid: second,
    size: 6,
    addedAt: 2,
    mimeType: "text/plain",
    modified: 1,
    commitment: "ab",
    chunkProfile: "c",
  });
});

test("versions are listed from the newest to the oldest, a restored one as the newest", () => {
  const files = Object.fromEntries(
    [first, second, third].map((cid, at) => [cid, { size: at, added: stampAt(at + 1) }] as const),
  );
  const known = stateOf({ file: { files } });
  expect(listVersions({ files }).map(({ cid, addedAt }) => [cid, addedAt])).toEqual([
    [third, 3],
    [second, 2],
    [first, 1],
  ]);
  const restored = stateOf({ file: { files: { [first]: { size: 0, added: stampAt(4) } } } });
  const merged = mergeStates(known, restored).entries.get("file") ?? {};
  expect(listVersions(merged).map(({ cid }) => cid)).toEqual([first, third, second]);
});

test("versions of random states are in the order of their stamps, without those that are deleted for good", () => {
  for (const seed of SEEDS) {
    for (const entry of randomState(seed, 20).entries.values()) {
      const versions = listVersions(entry);
      const stamps = versions.map(({ cid }) => entry.files?.[cid]?.added);
      expect(stamps).toEqual([...stamps].sort().reverse());
      expect(versions.filter(({ cid }) => entry.erased?.includes(cid))).toEqual([]);
    }
  }
});

test("of two versions of one stamp every device has the same one as the current one", () => {
  const [one, other] = [stateOf({ file: fileAt(TOP, "a", 1, first) }), stateOf({ file: fileAt(TOP, "a", 1, second) })];
  const list = (state: DriveState) => listVersions(state.entries.get("file") ?? {}).map(({ cid }) => cid);
  expect(list(mergeStates(one, other))).toEqual(list(mergeStates(other, one)));
});

test("what is in the trash takes no name from what is not", () => {
  const state = stateOf({ old: { ...fileAt(TOP, "a", 1), trashed: [true, stampAt(2)] }, new: fileAt(TOP, "a", 3) });
  const tree = buildTree(state);
  expect(tree.find("a")?.id).toBe("new");
  expect(tree.get("old")).toMatchObject({ name: "a", trashed: true });
  expect(tree.get("old")).not.toHaveProperty("conflict");
});

test("two entries of one name on two devices are both shown, the later one with a number", () => {
  const tree = buildTree(stateOf({ later: fileAt(TOP, "a.txt", 2), first: fileAt(TOP, "a.txt", 1) }));
  expect(tree.get("first")).toMatchObject({ path: "a.txt" });
  expect(tree.get("first")).not.toHaveProperty("conflict");
  expect(tree.get("later")).toMatchObject({ path: "a (2).txt", conflict: "name" });
});

test("what is in a folder that is shown with a number is below that name", () => {
  const state = stateOf({ one: folderAt(TOP, "a", 1), two: folderAt(TOP, "a", 2), file: fileAt("two", "b", 3) });
  expect(buildTree(state).find("a (2)/b")?.id).toBe("file");
});

test("a file that has no version left but those deleted for good is not shown, even in a faulty state", () => {
  const state = stateOf({ file: { ...fileAt(TOP, "a", 1), erased: [first] } });
  expect([...buildTree(state).all()]).toEqual([]);
});
