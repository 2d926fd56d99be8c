import { describe, expect, test } from "vitest";
import { type Refusal, readRetryAfter, retryDelay } from "../../src/network/http/deadline.ts";

const refusal: Refusal = { status: 429, retryAfterSeconds: 2, attempt: 1, remainingMs: 8_000, random: 0 };

describe("the wait before a refused request is sent again", () => {
  const waits: [string, Partial<Refusal>, number | undefined][] = [
    ["is the delay that the service requested", {}, 2_000],
    ["is the same for 503", { status: 503 }, 2_000],
    ["grows by up to 300 ms at random", { random: 1 }, 2_300],
    ["grows by up to 600 ms the second time", { random: 1, attempt: 2 }, 2_600],
    ["is half of that for half of the random range", { random: 0.5, attempt: 2 }, 2_300],
    ["may be only the random part", { retryAfterSeconds: 0, random: 0.5 }, 150],
    ["may be 5 seconds", { retryAfterSeconds: 5 }, 5_000],
    ["is not made after three attempts", { attempt: 3 }, undefined],
    ["is not made for more than 5 seconds", { retryAfterSeconds: 6 }, undefined],
    ["is not made for the largest number of seconds", { retryAfterSeconds: Number.MAX_VALUE }, undefined],
    ["is not made for a number of seconds that is NaN", { retryAfterSeconds: Number.NaN }, undefined],
    ["is not made if the service names no time", { retryAfterSeconds: undefined }, undefined],
    ["is not made beyond the time limit", { remainingMs: 2_000 }, undefined],
    ["is skipped if its random part exceeds the time limit", { remainingMs: 2_200, random: 1 }, undefined],
    ["is not made for a lasting refusal", { status: 403 }, undefined],
    ["is not made for an error of the service", { status: 500 }, undefined],
    ["is not made for a success", { status: 200 }, undefined],
  ];
  test.each(waits)("%s", (_, more, expected) => {
    expect(retryDelay({ ...refusal, ...more })).toBe(expected);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:30 GMT");
  const headers: [unknown, number | undefined][] = [
    ["0", 0],
    ["120", 120],
    [" 7 ", 7],
    ["007", 7],
    ["999999999999999", 999_999_999_999_999],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 7],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 7],
    ["Sun, 06 Nov 1994 08:49:30 GMT", 0],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 252_618_189_029],
    ["-5", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["9".repeat(400), undefined],
    ["Infinity", undefined],
    ["NaN", undefined],
    ["", undefined],
    [" ", undefined],
    ["soon", undefined],
    ["soon 1", undefined],
    ["2094", 2094],
    ["2094-11-06", undefined],
    ["Sun Nov  6 08:49:37 1994", undefined],
    ["Sun, 99 Nov 1994 08:49:37 GMT", undefined],
    ["Sun, ", undefined],
    [undefined, undefined],
    [["3", "4"], undefined],
    [3, undefined],
  ];
  test.each(headers)("%j means %j seconds", (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});
