import { expect, test } from "vitest";
import { nearestName } from "../../src/base/errors/input.ts";

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
])("the nearest name to %s is %s", (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

test.each(["", "x", "output", "retries", "__proto__", "a".repeat(100_000)])(
  "a name that resembles no other has no nearest name: %.10s",
  (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  },
);

test("of two similar names, the more similar one is chosen", () => {
  expect(nearestName("shareTa", ["shareTwo", "shareTo"])).toBe("shareTo");
  expect(nearestName("apiHost", ["upload", "api"])).toBe("api");
});
