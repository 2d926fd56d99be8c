import { expect, test } from "vitest";
import { nearestName } from "../../src/errors/nearest-name.ts";

const known = ["apiKey", "endpoints", "timeoutMs", "shareTo", "dataDir", "dataLimit", "cidVersion", "port", "to"];

test.each([
  ["sharedTo", "shareTo"],
  ["timeout", "timeoutMs"],
  ["datadir", "dataDir"],
  ["data_dir", "dataDir"],
  ["cidversion", "cidVersion"],
  ["api-key", "apiKey"],
  ["apikeys", "apiKey"],
  ["endpiont", "endpoints"],
  ["ednpoints", "endpoints"],
  ["dataLimt", "dataLimit"],
  ["prot", "port"],
])("%s is taken for %s", (given, name) => {
  expect(nearestName(given, known)).toBe(name);
});

test.each(["", "x", "output", "retries", "__proto__", "a".repeat(100_000)])(
  "a name that resembles none is not guessed at: %.10s",
  (given) => {
    expect(nearestName(given, known)).toBeUndefined();
  },
);

test("of two names that are close, the closer one is taken", () => {
  expect(nearestName("shareTa", ["shareTwo", "shareTo"])).toBe("shareTo");
  expect(nearestName("apiHost", ["upload", "api"])).toBe("api");
});
