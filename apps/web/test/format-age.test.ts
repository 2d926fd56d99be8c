import { afterEach, expect, test } from "vitest";
import { formatAge } from "../src/messages/format.ts";
import { setLocale } from "../src/messages/locale.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const noon = new Date(2026, 2, 30, 12).getTime();
/** The night before has an hour less in half of the world. */
const atNight = new Date(2026, 2, 29, 1).getTime();

afterEach(() => setLocale("en-US"));

test.each([
  [noon + HOUR, undefined],
  [noon - MINUTE / 2, undefined],
  [noon - MINUTE, "1 minute ago"],
  [noon - 59 * MINUTE, "59 minutes ago"],
  [noon - 2 * HOUR, "2 hours ago"],
  [noon - 13 * HOUR, "yesterday"],
  [atNight, "yesterday"],
  [noon - 72 * HOUR, "3 days ago"],
  [noon - 40 * 24 * HOUR, "Feb 18, 2026"],
])("a time is described by its age, and from a month on by its date: %s", (ms, text) => {
  setLocale("en-US");
  expect(formatAge(ms, noon)).toBe(text);
});

test("shortly after midnight, hours are counted, not days", () => {
  setLocale("en-US");
  expect(formatAge(new Date(2026, 2, 29, 23).getTime(), new Date(2026, 2, 30, 1).getTime())).toBe("2 hours ago");
});

test("an age is described in the reader's language", () => {
  setLocale("de-DE");
  expect(formatAge(noon - 48 * HOUR, noon)).toBe("vorgestern");
  expect(formatAge(noon - 3 * HOUR, noon)).toBe("vor 3 Stunden");
});
