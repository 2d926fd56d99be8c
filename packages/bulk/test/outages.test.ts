import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeeplightError } from "../../../src/index.ts";
import { createOutages, toSourceError } from "../src/outages.ts";

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const down = () => new KeeplightError("TIMEOUT", "The service is down", { details: {} } as never);

test.each([
  ["service", down],
  ["place that files are read from", () => toSourceError(down())],
])(
  "an outage of a %s is too long after an hour, and one that nothing has ended is over after a quiet hour",
  (_, fail) => {
    const outages = createOutages(HOUR_MS);
    expect(outages.covers("0", fail())).toBe(true);
    vi.advanceTimersByTime(HOUR_MS - 1);
    expect(outages.covers("0", fail())).toBe(true);
    vi.advanceTimersByTime(1);
    expect(outages.covers("0", fail())).toBe(false);
    vi.advanceTimersByTime(HOUR_MS + 1);
    expect(outages.covers("0", fail())).toBe(true);
    vi.advanceTimersByTime(HOUR_MS);
    expect(outages.covers("0", fail())).toBe(false);
  },
);

test("failures of one outage may be further apart than it may be long", () => {
  const outages = createOutages(1_000);
  expect(outages.covers("0", down())).toBe(true);
  vi.advanceTimersByTime(30_000);
  expect(outages.covers("0", down())).toBe(false);
});
