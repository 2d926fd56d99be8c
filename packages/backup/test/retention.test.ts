import { expect, test } from "vitest";
import { chooseKept } from "../src/retention.ts";

const at = (time: string, { tags = [] as string[], root = "/a" } = {}) => ({
  cid: "",
  id: time,
  createdAt: Date.parse(`${time}Z`),
  host: "h",
  root,
  tags,
  files: 0,
  bytes: 0,
});

const snapshots = [
  at("2026-01-01T00:10"),
  at("2026-01-04T10:00"),
  at("2026-01-05T10:00", { tags: ["keep"] }),
  at("2026-01-05T10:30"),
  at("2026-01-05T11:00"),
  at("2026-02-01T00:00"),
  at("2025-12-31T23:59"),
];

const keptBy = (rules: Parameters<typeof chooseKept>[1]) =>
  [...chooseKept(snapshots, rules)].map(({ id }) => id).sort();

test("each rule keeps the newest of each of its newest periods", () => {
  expect(keptBy({ last: 2 })).toEqual(["2026-01-05T11:00", "2026-02-01T00:00"]);
  expect(keptBy({ hour: 3 })).toEqual(["2026-01-05T10:30", "2026-01-05T11:00", "2026-02-01T00:00"]);
  expect(keptBy({ day: 3 })).toEqual(["2026-01-04T10:00", "2026-01-05T11:00", "2026-02-01T00:00"]);
  // A Sunday and the Monday after it are in two weeks; the first of January is in the week of the Sunday.
  expect(keptBy({ week: 9 })).toEqual(["2026-01-04T10:00", "2026-01-05T11:00", "2026-02-01T00:00"]);
  expect(keptBy({ month: 2 })).toEqual(["2026-01-05T11:00", "2026-02-01T00:00"]);
  expect(keptBy({ year: 2 })).toEqual(["2025-12-31T23:59", "2026-02-01T00:00"]);
  expect(keptBy({ tags: ["keep"], last: 1 })).toEqual(["2026-01-05T10:00", "2026-02-01T00:00"]);
});

test("each folder is looked at by itself", () => {
  const kept = chooseKept([...snapshots, at("2020-01-01T00:00", { root: "/b" })], { last: 1 });
  expect([...kept].map(({ id }) => id)).toEqual(["2026-02-01T00:00", "2020-01-01T00:00"]);
});
