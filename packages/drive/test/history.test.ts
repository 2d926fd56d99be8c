import { expect, test } from "vitest";
import { follows, isRollback, joinHistory, MAX_HISTORY, type VersionLink } from "../src/merge.ts";
import { createRandom } from "./random-states.ts";

/** The version that a device makes once it knows of these. */
function versionAfter(cid: string, ...merged: VersionLink[]): VersionLink {
  return { cid, number: Math.max(0, ...merged.map(({ number }) => number)) + 1, history: joinHistory(merged) };
}

/** Versions of one device, each after the other. */
function versionsInLine(count: number, name = "v"): VersionLink[] {
  const line: VersionLink[] = [];
  for (let at = 0; at < count; at++) line.push(versionAfter(`${name}${at + 1}`, ...line.slice(-1)));
  return line;
}

/** Rounds in which two devices each make a version at once, after both of the round before. */
function versionsOfTwo(rounds: number): [VersionLink, VersionLink][] {
  const all: [VersionLink, VersionLink][] = [];
  for (let at = 1; at <= rounds; at++) {
    const before = all.at(-1) ?? [];
    all.push([versionAfter(`a${at}`, ...before), versionAfter(`b${at}`, ...before)]);
  }
  return all;
}

const root = versionAfter("root");

test("a version follows from itself and from all before it, not from later ones", () => {
  const line = versionsInLine(2.5 * MAX_HISTORY);
  for (const [at, version] of line.entries())
    for (const [otherAt, other] of line.entries()) expect(follows(version, other)).toBe(at >= otherAt);
});

test("a history names the 100 versions before, the newest first", () => {
  const line = versionsInLine(110);
  expect(line.at(-1)).toMatchObject({ number: 110 });
  expect(line.at(-1)?.history).toEqual(
    Array.from({ length: 100 }, (_, at) => ({ cid: `v${109 - at}`, number: 109 - at })),
  );
  expect(joinHistory([])).toEqual([]);
});

test("a history of merged versions names each once, those of the highest numbers first", () => {
  const [one, other] = [versionAfter("one", root), versionAfter("other", root)];
  expect(joinHistory([one, other]).map(({ cid }) => cid)).toEqual(["one", "other", "root"]);
  const [long, short] = [versionsInLine(120, "long"), versionsInLine(50, "short")];
  const history = joinHistory([...short.slice(-1), ...long.slice(-1)]).map(({ cid }) => cid);
  expect(history).toHaveLength(MAX_HISTORY);
  expect(history.slice(69, 73)).toEqual(["long51", "long50", "short50", "long49"]);
  expect(new Set(history).size).toBe(MAX_HISTORY);
});

test("versions that two devices made at once do not follow from each other, and what merges them from both", () => {
  const [one, other] = [versionAfter("one", root), versionAfter("other", root)];
  expect(follows(one, other) || follows(other, one)).toBe(false);
  const merged = versionAfter("merged", one, other);
  for (const earlier of [one, other, root]) expect(follows(merged, earlier)).toBe(true);
});

test("follows says what is so, whichever versions of three devices were merged", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = createRandom(seed);
    const all: { version: VersionLink; before: Set<string> }[] = [];
    for (let at = 0; at < 20; at++) {
      const latest = all.slice(-4);
      const merged = at === 0 ? [] : [random.pick(latest), random.pick(latest)].slice(random.integer(2));
      const version = versionAfter(`v${at}`, ...new Set(merged.map((each) => each.version)));
      const before = new Set([version.cid, ...merged.flatMap((each) => [...each.before])]);
      for (const each of all) {
        expect(follows(version, each.version), `seed ${seed}`).toBe(before.has(each.version.cid));
        expect(follows(each.version, version), `seed ${seed}`).toBe(false);
      }
      all.push({ version, before });
    }
  }
});

test("a version follows from all before it also if two devices made versions at once for long", () => {
  const rounds = versionsOfTwo(60);
  for (const [at, [version]] of rounds.entries()) {
    for (const earlier of rounds.slice(0, at).flat())
      expect(follows(version, earlier), `${version.cid} after ${earlier.cid}`).toBe(true);
  }
});

test("nothing is reported if what was seen, or what follows from it, is found", () => {
  const line = versionsInLine(120);
  const [seen, next, last] = [line[0], line[1], line[119]];
  if (!seen || !next || !last) throw new Error("Too few versions");
  for (const isComplete of [true, false]) {
    for (const found of [[seen], [next], [last], [root, last], [seen, next]])
      expect(isRollback(seen, found, isComplete)).toBe(false);
  }
});

test("only an older version is reported", () => {
  const [older, seen] = versionsInLine(2);
  if (!older || !seen) throw new Error("Too few versions");
  expect(isRollback(seen, [older], false)).toBe(true);
  expect(isRollback(seen, [older], true)).toBe(true);
});

test("a version that another device made at once is no rollback, unless what was seen should be there too", () => {
  const [seen, other] = [versionAfter("seen", root), versionAfter("other", root)];
  expect(isRollback(seen, [other], false)).toBe(false);
  expect(isRollback(seen, [other], true)).toBe(true);
  expect(isRollback(seen, [other, root], false)).toBe(true);
  expect(isRollback(seen, [other, seen], true)).toBe(false);
  expect(isRollback(seen, [versionAfter("merged", seen, other)], true)).toBe(false);
});

test("that nothing is found is reported only if all was looked for", () => {
  expect(isRollback(root, [], false)).toBe(false);
  expect(isRollback(root, [], true)).toBe(true);
});

test("a device that was away while two others made versions at once reports nothing", () => {
  const rounds = versionsOfTwo(40);
  const [seen] = rounds[0] ?? [];
  if (!seen) throw new Error("Too few versions");
  expect(isRollback(seen, rounds.at(-1) ?? [], true)).toBe(false);
});
