import { getLocale } from "../messages/locale.ts";

/** Formats how long something takes: `40 sec`, `3 min`, `2 hr`. */
export function formatDuration(seconds: number): string {
  const [value, unit] =
    seconds < 60 ? [seconds, "second"] : seconds < 3_600 ? [seconds / 60, "minute"] : [seconds / 3_600, "hour"];
  return Math.max(Math.ceil(value), 1).toLocaleString(getLocale(), { style: "unit", unit, unitDisplay: "short" });
}
