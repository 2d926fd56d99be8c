import { expect, test } from "vitest";
import {
  changeTimes,
  endSession,
  findJournal,
  follow,
  forgetJournal,
  forgetSession,
  isOver,
  type KeptSession,
  type KeptState,
  keepNothing,
  reserveJournal,
  startSession,
  toNetwork,
} from "../src/session/kept.ts";

const network = toNetwork({ api: "https://api.example" });

const createSession = (id: string, account: string): KeptSession => ({
  id,
  account,
  apiKey: `key of ${id}`,
  network,
  startedAt: 1_000_000,
  endsAt: 2_000_000,
  journal: `journal of ${account}`,
});

const first = createSession("1", "alice");

test("a session is over at its end, and when the clock was set back to before its start", () => {
  expect(isOver(first, 1_999_999)).toBe(false);
  expect(isOver(first, 2_000_000)).toBe(true);
  expect(isOver(first, 800_000)).toBe(false);
  expect(isOver(first, 699_999)).toBe(true);
});

test("a tab shows what is kept, but another account only if it shows none", () => {
  const kept = startSession(keepNothing, first);
  const at = 1_500_000;
  expect(follow(kept, network, undefined, at)).toEqual({ show: first });
  expect(follow(kept, network, "alice", at)).toEqual({ show: first });
  expect(follow(kept, network, "bob", at)).toEqual({ other: "alice" });
  expect(follow(kept, network, "alice", 2_000_000)).toEqual({});
  expect(follow(keepNothing, network, "alice", at)).toEqual({});
});

test("a session is of one network, by its API and its key nodes", () => {
  const kept = startSession(keepNothing, first);
  for (const endpoints of [undefined, {}, { api: "https://other.example" }, { keyNodes: "https://api.example" }]) {
    expect(follow(kept, toNetwork(endpoints), undefined, 1_500_000)).toEqual({});
  }
});

test("an account has one journal for each network: the first one that is reserved", () => {
  const kept = reserveJournal(reserveJournal(keepNothing, "alice", network, "first"), "bob", network, "second");
  expect(reserveJournal(kept, "alice", network, "third")).toBe(kept);
  expect(findJournal(kept, "alice", network)).toBe("first");
  expect(findJournal(kept, "bob", network)).toBe("second");
  expect(findJournal(kept, "carol", network)).toBeUndefined();
  expect(
    findJournal(kept, "alice", toNetwork({ api: "https://api.example", upload: "https://x.example" })),
  ).toBeUndefined();
  expect(Object.values(forgetJournal(kept, "first").journals)).toEqual(["second"]);
});

test("what has ended is remembered until nothing is left of it, without its secrets", () => {
  const second = createSession("2", "bob");
  let kept: KeptState = startSession(startSession(keepNothing, first), second);
  expect(kept).toMatchObject({ current: second, ended: [{ id: "1", account: "alice", journal: "journal of alice" }] });
  expect(JSON.stringify(kept.ended)).not.toContain("key of");
  // Its end is not that of the one that came after it.
  expect(endSession(kept, "1")).toBe(kept);
  expect(endSession(kept, undefined)).toBe(kept);
  kept = endSession(kept, "2");
  expect(kept.current).toBeUndefined();
  expect(kept.ended.map(({ id }) => id)).toEqual(["1", "2"]);
  expect(JSON.stringify(kept)).not.toContain("key of");
  kept = forgetSession(forgetSession(kept, "1"), "2");
  expect(kept.ended).toEqual([]);
  expect(forgetSession(kept, "2")).toBe(kept);
});

test("times change for the session that they are for", () => {
  const kept = startSession(keepNothing, first);
  const times = { startedAt: 1_100_000, endsAt: 3_000_000 };
  expect(changeTimes(kept, "1", times).current).toEqual({ ...first, ...times });
  expect(changeTimes(kept, "2", times)).toBe(kept);
});
