import { describe, expect, test, vi } from "vitest";
import { derivationsAtOnce, pbkdf2 } from "#platform";
import { pbkdf2 as browserPbkdf2 } from "../../src/platform/browser/pbkdf2.ts";
import { toHex } from "./helpers.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** RFC 7914, 11: the first 32 bytes. */
const vectors = [
  {
    password: "passwd",
    salt: "salt",
    iterations: 1,
    key: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc",
  },
  {
    password: "Password",
    salt: "NaCl",
    iterations: 80_000,
    key: "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56",
  },
];

describe.each([
  ["the platform", pbkdf2, undefined],
  ["a browser", browserPbkdf2, undefined],
  ["a browser without WebCrypto", browserPbkdf2, {}],
])("PBKDF2-HMAC-SHA-256 of %s", (_name, derive, crypto) => {
  test.each(vectors)("derives the known key after $iterations rounds", async ({ password, salt, iterations, key }) => {
    if (crypto) vi.stubGlobal("crypto", crypto);
    try {
      expect(toHex(await derive(utf8(password), utf8(salt), iterations))).toBe(key);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

test("at least one derivation runs", () => {
  expect(derivationsAtOnce()).toBeGreaterThanOrEqual(1);
  expect(Number.isInteger(derivationsAtOnce())).toBe(true);
});
