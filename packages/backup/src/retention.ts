import type { Snapshot } from "./snapshot.ts";

/** Which snapshots of a folder are kept: each rule keeps some, and what none keeps is forgotten. */
export interface Retention {
  /** How many of the newest. @default none */
  last?: number | undefined;
  /** The newest of each of so many hours, and likewise for the others: those that have one, in UTC. @default none */
  hour?: number | undefined;
  day?: number | undefined;
  /** Weeks start on Mondays (ISO 8601). */
  week?: number | undefined;
  month?: number | undefined;
  year?: number | undefined;
  /** Those that have one of these tags. @default none */
  tags?: readonly string[] | undefined;
}

const DAY_MS = 86_400_000;

/** Names the period that a time is in. */
const periods = {
  last: (time: number, at: number) => `${time} ${at}`,
  hour: (time: number) => toDate(time).slice(0, 13),
  day: (time: number) => toDate(time).slice(0, 10),
  // Day 4 of 1970 was a Monday.
  week: (time: number) => String(Math.floor((time / DAY_MS - 4) / 7)),
  month: (time: number) => toDate(time).slice(0, 7),
  year: (time: number) => toDate(time).slice(0, 4),
};

const toDate = (time: number) => new Date(time).toISOString();

/** The rules that are numbers. */
export const COUNTED = Object.keys(periods) as (keyof typeof periods)[];

/** Whether a snapshot is dated more than a day ahead: a clock was wrong, and it says nothing about the order of the others. */
export function isAhead({ createdAt }: Snapshot, now: number): boolean {
  return createdAt > now + DAY_MS;
}

/** Returns the snapshots that are kept: of each folder of each machine by itself. */
export function chooseKept(snapshots: readonly Snapshot[], { tags = [], ...counts }: Retention): Set<Snapshot> {
  const kept = new Set(snapshots.filter((each) => each.tags.some((tag) => tags.includes(tag))));
  const toFolder = ({ host, root }: Snapshot) => JSON.stringify([host, root]);
  for (const name of new Set(snapshots.map(toFolder))) {
    const folder = snapshots.filter((each) => toFolder(each) === name);
    const newestFirst = folder.toSorted((a, b) => b.createdAt - a.createdAt);
    for (const rule of COUNTED) {
      const seen = new Set<string>();
      for (const [at, snapshot] of newestFirst.entries()) {
        const period = periods[rule](snapshot.createdAt, at);
        if (seen.has(period)) continue;
        if (seen.size >= (counts[rule] ?? 0)) break;
        seen.add(period);
        kept.add(snapshot);
      }
    }
  }
  return kept;
}
