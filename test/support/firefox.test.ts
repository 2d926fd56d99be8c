import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { ensureFirefox, findFirefox, firefoxHint, firefoxRequired } from "./firefox.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

afterEach(() => vi.unstubAllEnvs());

test.each(["/nowhere/firefox", root, fileURLToPath(import.meta.url)])(
  "a FIREFOX_PATH of %s is not a browser, nothing is installed in its place, and the hint names it",
  (path) => {
    vi.stubEnv("FIREFOX_PATH", path);
    expect(findFirefox()).toBeUndefined();
    expect(ensureFirefox()).toBeUndefined();
    expect(firefoxRequired()).toBe(true);
    expect(firefoxHint()).toBe(`FIREFOX_PATH does not name an executable file: ${path}`);
  },
);

test("a missing Firefox is a failure in CI, and otherwise only reported", () => {
  vi.stubEnv("FIREFOX_PATH", "");
  vi.stubEnv("CI", "true");
  expect(firefoxRequired()).toBe(true);
  vi.stubEnv("CI", "");
  expect(firefoxRequired()).toBe(false);
  expect(firefoxHint()).toContain("apt-get install firefox-esr");
});
