const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a session may last, in milliseconds from now. A sign-in lasts a day. */
export const durations = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;
export type Duration = keyof typeof durations;

/** What is known of the time may be older by so much, in milliseconds. */
const TICK_MS = 60_000;

/** Returns the shortest of them that covers what is left of a session. */
export function toDuration(leftMs: number): Duration {
  const names = Object.keys(durations) as Duration[];
  return names.find((name) => leftMs <= durations[name] + TICK_MS) ?? "month";
}
