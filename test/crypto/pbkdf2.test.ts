import { describe, expect, test, vi } from "vitest";
import { derivationsAtOnce, pbkdf2 } from "#platform";
import {
  derivationsAtOnce as browserDerivationsAtOnce,
  pbkdf2 as browserPbkdf2,
} from "../../src/platform/browser/hashing.ts";
import { toHex } from "./helpers.ts";

const inNode = typeof window === "undefined";
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
  ["a runtime without crypto", browserPbkdf2, null],
])("PBKDF2-HMAC-SHA-256 of %s", (_name, derive, crypto) => {
  test.each(vectors)("derives the known key after $iterations rounds", async ({ password, salt, iterations, key }) => {
    if (crypto !== undefined) vi.stubGlobal("crypto", crypto);
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

test.runIf(inNode)("Node runs one derivation more than it has cores, within its pool of threads", async () => {
  const { availableParallelism } = await import("node:os");
  const most = availableParallelism() + 1;
  try {
    for (const [threads, expected] of [
      ["1", 1],
      ["1024", most],
      ["", Math.min(most, 4)],
    ] as const) {
      vi.stubEnv("UV_THREADPOOL_SIZE", threads);
      expect(derivationsAtOnce()).toBe(expected);
    }
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each([
  [{ hardwareConcurrency: 7 }, 7],
  [{}, 4],
  [undefined, 4],
])("a browser whose navigator is %o runs %i derivations", (navigator, expected) => {
  vi.stubGlobal("navigator", navigator);
  try {
    expect(browserDerivationsAtOnce()).toBe(expected);
  } finally {
    vi.unstubAllGlobals();
  }
});
