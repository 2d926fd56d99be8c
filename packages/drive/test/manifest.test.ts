import { expect, test } from "vitest";
import { checkName, move } from "../src/changes.ts";
import { assertReadable, assertRoom, encodeManifest, type Manifest, parseManifest } from "../src/manifest.ts";
import { mergeStates } from "../src/merge.ts";
import { toSharedId } from "../src/shared-rows.ts";
import { type DriveState, type EntryState, emptyState, TOP } from "../src/state.ts";
import { buildTree } from "../src/tree.ts";
import {
  createRandom,
  randomCid,
  randomDevices,
  randomId,
  randomState,
  stampAt,
  toComparable,
} from "./random-states.ts";

/** Longest name that is read. */
const MAX_NAME = 1_024;

const random = createRandom(11);
const [cid, drive, previous, fileCid] = [randomCid(random), randomCid(random), randomCid(random), randomCid(random)];
const [id, otherId] = [randomId(random), randomId(random)];

const manifestOf = (state: DriveState, facts: Partial<Manifest> = {}): Manifest => ({
  ...{ drive, owner: "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", number: 3, at: 1_700_000_000_000 },
  ...{
    previous: [previous],
    history: [
      { cid: previous, number: 2 },
      { cid: randomCid(random), number: 1 },
    ],
  },
  ...facts,
  state,
});

const stateOf = (entry: EntryState): DriveState => ({ entries: new Map([[id, entry]]) });
const toText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const read = (state: DriveState) => parseManifest(cid, encodeManifest(manifestOf(state))).state;

test("what was encoded is parsed, whatever the devices changed", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { states, changes } = randomDevices(seed, 20);
    for (const state of [...states, states.reduce(mergeStates), ...changes.slice(0, 5)])
      expect(toComparable(read(state)), `seed ${seed}`).toEqual(toComparable(state));
  }
});

test("the facts of a version are parsed, too", () => {
  for (const facts of [{}, { number: 0, at: 0, previous: [], history: [] }, { previous: [previous, fileCid] }]) {
    const manifest = manifestOf({ ...emptyState, pointer: ["k51name", stampAt(1)] }, facts);
    expect(parseManifest(cid, encodeManifest(manifest))).toEqual(manifest);
  }
});

test("what was parsed is encoded in the same bytes", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const bytes = encodeManifest(manifestOf(randomState(seed, 20)));
    expect(toText(encodeManifest(parseManifest(cid, bytes)))).toBe(toText(bytes));
  }
});

test("what was parsed is nothing new to the state that was encoded", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const state = randomState(seed, 20);
    expect(mergeStates(state, read(state)) === state, `seed ${seed}`).toBe(true);
  }
});

test("the state that was encoded is nothing new to what was parsed", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const state = randomState(seed, 20);
    const parsed = read(state);
    expect(mergeStates(parsed, state) === parsed, `seed ${seed}`).toBe(true);
  }
});

const placed: EntryState = { parent: [TOP, stampAt(1)], name: ["a", stampAt(1)] };

test("an empty file of which nothing else is known is parsed", () => {
  const state = stateOf({ ...placed, files: { [fileCid]: { size: 0, added: stampAt(1) } } });
  expect(toComparable(read(state))).toEqual(toComparable(state));
});

test.each([0, -1])("a file that was changed in 1970 or before (%i) is parsed, with this time", (modified) => {
  const state = stateOf({ ...placed, files: { [fileCid]: { size: 5, added: stampAt(1), modified } } });
  expect(toComparable(read(state))).toEqual(toComparable(state));
});

test("names of any characters and of the greatest length are parsed", () => {
  for (const name of ["été", "日本語", '"\\', "\u2028", "👩‍👩‍👧", "\ud800", "__proto__", "n".repeat(MAX_NAME)]) {
    const state = stateOf({ ...placed, name: [name, stampAt(2)] });
    expect(read(state).entries.get(id)?.name).toEqual([name, stampAt(2)]);
  }
});

test("a name of any length that the calls of a drive accept is parsed", () => {
  const longest = "n".repeat(255);
  expect(checkName(longest)).toBe(longest);
  expect(() => checkName(`${longest}n`)).toThrow("longer than 255");
  expect(() => read(stateOf({ ...placed, name: [longest, stampAt(2)] }))).not.toThrow();
});

test("a drive can be read after what was shown with a number was moved, also if its name has the greatest length", () => {
  const name = "n".repeat(255);
  const file = (time: number): EntryState => ({
    parent: [TOP, stampAt(time)],
    name: [name, stampAt(time)],
    files: { [randomCid(random)]: { size: 5, added: stampAt(time) } },
  });
  const folder = randomId(random);
  const entries: [string, EntryState][] = [
    [id, file(1)],
    [otherId, file(2)],
    [folder, { ...placed, folder: true }],
  ];
  const state: DriveState = { entries: new Map(entries) };
  const numbered = buildTree(state).get(otherId);
  if (numbered?.conflict !== "name") throw new Error("It is shown with a number");
  const moved = mergeStates(state, move(buildTree(state), state, [numbered], folder, stampAt(3)));
  expect(() => read(moved)).not.toThrow();
});

test("10,000 files take at most 3 MB", () => {
  const folders = Array.from({ length: 100 }, () => randomId(random));
  const entries = new Map<string, EntryState>();
  for (let at = 0; at < 10_000; at++) {
    const stamp = stampAt(1_700_000_000_000 + at);
    entries.set(randomId(random), {
      parent: [random.pick(folders), stamp],
      name: [`${random.text("abcdefghijklmnop ", 21)}.jpg`, stamp],
      files: {
        [randomCid(random)]: {
          size: random.integer(10_000_000),
          added: stamp,
          commitment: random.text("0123456789abcdef", 64),
          modified: 1_600_000_000_000 + at,
          type: "image/jpeg",
        },
      },
    });
  }
  const bytes = encodeManifest(manifestOf({ entries }));
  expect(bytes.length).toBeLessThanOrEqual(3_000_000);
  expect(parseManifest(cid, bytes).state.entries.size).toBe(10_000);
});

const refusal = expect.objectContaining({ code: "INVALID_DRIVE", details: expect.objectContaining({ cid }) });
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const valid: Record<string, unknown> = JSON.parse(
  toText(encodeManifest(manifestOf(stateOf({ ...placed, folder: true })))),
);

test("what is no JSON, or another file, is refused", () => {
  const texts = ["", "{", "null", "5", '"text"', "[]", "{}", "[".repeat(200_000), "true", '{"type":"keeplight drive"}'];
  for (const text of texts)
    expect(() => parseManifest(cid, new TextEncoder().encode(text)), text.slice(0, 50)).toThrow(refusal);
  expect(() => parseManifest(cid, Uint8Array.of(0x22, 0xff, 0x22))).toThrow(refusal);
  expect(() => parseManifest(cid, encodeManifest(manifestOf(emptyState)).slice(0, -1))).toThrow(refusal);
});

/** What no field may be, but those named. */
const VALUES = [null, true, -1, 0.5, 2 ** 53, "text", "", [], [null], [5], [[]], ["text"], {}, { length: 1 }];

test("each field of another kind is refused, and each that is missing", () => {
  expect(() => parseManifest(cid, encode(valid))).not.toThrow();
  const allowed: Record<string, unknown[]> = { owner: ["text", ""], previous: [[]], history: [[]], entries: [[]] };
  for (const field of Object.keys(valid)) {
    for (const value of [undefined, ...VALUES]) {
      if (allowed[field]?.some((each) => JSON.stringify(each) === JSON.stringify(value))) continue;
      const text = `${field}: ${JSON.stringify(value)}`;
      expect(() => parseManifest(cid, encode({ ...valid, [field]: value })), text).toThrow(refusal);
    }
  }
  for (const pointer of [null, "text", [], ["name"], ["name", 5], [5, stampAt(1)], ["n".repeat(5_000), stampAt(1)]])
    expect(() => parseManifest(cid, encode({ ...valid, pointer }))).toThrow(refusal);
});

const stamp = stampAt(1);
const file = [fileCid, 5, 0, "A".repeat(43), "profile", 1, "text/plain"];
const fullEntry = [id, otherId, stamp, "a", stamp, [file], [1, stamp], [previous]];
const parseEntries = (...entries: unknown[]) => parseManifest(cid, encode({ ...valid, entries }));

test("an entry of which a part is of another kind is refused, or read and shown", () => {
  expect(parseEntries(fullEntry).state.entries.get(id)?.files).toHaveProperty(fileCid);
  const isReadOrRefused = (entry: unknown) => {
    let state: DriveState;
    try {
      state = parseEntries(entry).state;
    } catch (error) {
      return expect(error, JSON.stringify(entry)).toEqual(refusal);
    }
    // Then it is one that can be encoded, and shown.
    expect(toComparable(read(state)), JSON.stringify(entry)).toEqual(toComparable(state));
    expect(() => buildTree(state)).not.toThrow();
  };
  for (const value of [...VALUES, 0, 1, fileCid, stamp, id]) {
    isReadOrRefused(value);
    for (const at of fullEntry.keys()) isReadOrRefused(fullEntry.with(at, value as string));
    for (const at of file.keys()) isReadOrRefused(fullEntry.with(5, [file.with(at, value as string)]));
  }
  for (const length of fullEntry.keys()) isReadOrRefused(fullEntry.slice(0, length));
  for (const length of file.keys()) isReadOrRefused(fullEntry.with(5, [file.slice(0, length)]));
});

test("malformed parts of an entry are refused", () => {
  const withFile = (at: number, value: unknown) => fullEntry.with(5, [file.with(at, value as string)]);
  const malformed = [
    ...[fullEntry.with(0, "short"), fullEntry.with(0, `${id}+`), fullEntry.with(1, "short"), fullEntry.with(2, "soon")],
    ...[fullEntry.with(3, "n".repeat(MAX_NAME + 1)), fullEntry.with(4, `A${stamp.slice(1)}`), fullEntry.with(5, "2")],
    ...[fullEntry.with(6, [2 as never, stamp]), fullEntry.with(6, [1 as never]), fullEntry.with(7, ["text"])],
    ...[
      withFile(0, "text"),
      withFile(0, fileCid.toUpperCase()),
      withFile(1, -1),
      withFile(1, "5"),
      withFile(2, "soon"),
    ],
    ...[withFile(3, "A".repeat(42)), withFile(3, "=".repeat(43)), withFile(4, 5), withFile(5, 0.5), withFile(6, 5)],
  ];
  for (const entry of malformed) expect(() => parseEntries(entry), JSON.stringify(entry)).toThrow(refusal);
  expect(() => parseEntries(fullEntry, fullEntry)).toThrow(refusal);
});

test("an entry whose name could lead to another folder, or to none, is shown by its id", () => {
  for (const name of ["", ".", "..", "a/b", "../a"])
    expect(buildTree(parseEntries(fullEntry.with(3, name)).state).get(id), name).toMatchObject({ name: id });
});

test("a change that could not be read again is refused", () => {
  for (const entry of [{ name: ["n".repeat(2_000), stamp] }, { parent: ["short", stamp] }, { files: { text: {} } }])
    expect(() => assertReadable(stateOf(entry as unknown as EntryState))).toThrow("malformed");
});

test("a version that is deleted for good is not among those of a file that can be read", () => {
  const entry = fullEntry.with(7, [fileCid]);
  expect(() => buildTree(parseEntries(entry).state)).not.toThrow();
});

test("malformed parts of a shared file, and a second one of the same sender, are refused", () => {
  const stamp = stampAt(1);
  const facts = { cid: fileCid, name: "a/b.txt", size: 1, from: "0xa", sentAt: 2 };
  const state: DriveState = {
    entries: new Map(),
    shared: new Map([[toSharedId(facts), { file: [facts, stamp], removed: [true, stamp] }]]),
  };
  expect(read(state)).toEqual(state);
  const { shared: rows, ...manifest } = JSON.parse(toText(encodeManifest(manifestOf(state)))) as {
    shared: unknown[][];
  };
  const [row = []] = rows;
  const parse = (shared: unknown) =>
    parseManifest(cid, new TextEncoder().encode(JSON.stringify({ ...manifest, shared })));
  expect(parse([row]).state).toEqual(state);
  const replaced = (at: number, value: unknown) => row.map((field, each) => (each === at ? value : field));
  const malformed = [
    [row, row],
    [replaced(0, ["bafy"])],
    [replaced(0, [fileCid])],
    [replaced(0, [fileCid, "x".repeat(1_025)])],
    [replaced(1, "now")],
    [replaced(2, 7)],
    [replaced(3, -1)],
    [replaced(4, "short")],
    [replaced(5, [2, stamp])],
    [replaced(5, [1, "now"])],
    ["row"],
    "rows",
  ];
  for (const shared of malformed) expect(() => parse(shared)).toThrow(/is not part of a drive/);
  const unreadable = { ...facts, name: "x".repeat(1_025) };
  const change = new Map([[toSharedId(unreadable), { file: [unreadable, stamp] as const }]]);
  expect(() => assertReadable({ entries: new Map(), shared: change })).toThrow(/malformed/);
  expect(() => assertReadable({ entries: new Map(), shared: new Map([["x", { file: [facts, stamp] }]]) })).toThrow();
});

test("a drive of more entries than are read is refused before it is stored", () => {
  const many = (count: number): DriveState => ({
    entries: new Map(Array.from({ length: count }, (_, at) => [`${at}`, {}])),
  });
  expect(() => assertRoom(many(500_000))).not.toThrow();
  expect(() => assertRoom(many(500_001))).toThrow(/500000/);
});
