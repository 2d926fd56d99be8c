import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import decodeQR from "qr/decode.js";
import { beforeAll, describe, expect, test } from "vitest";
import { createRecoveryIdentity } from "../../../src/index.ts";
import { ensureRecoveryTools } from "../../../test/support/external-tools.mjs";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { makeRecoveryPages, restoreRecoveryIdentity } from "../src/index.ts";
import { runScript } from "./without-keeplight.ts";

const { identity, recipient } = await createRecoveryIdentity();

beforeAll(ensureRecoveryTools);

const textOf = (page: string) => /<p><code>(.*?)<\/code><\/p>/.exec(page)?.[1] ?? "";
const wordsOf = (page: string) => Array.from(page.matchAll(/<li>(.*?)<\/li>/g), ([, word]) => word).join(" ");
const labelOf = (page: string) => /this part is (\S+)/.exec(page)?.[1] ?? "";

/** Reads the QR code of a page from its picture. */
function readQr(page: string): string {
  const [, size = "0", path = ""] = /viewBox="0 0 (\d+) \d+".*?<path d="(.*?)"/s.exec(page) ?? [];
  const scale = 4;
  const width = Number(size) * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [x, y] of modulesOf(path)) {
    for (let row = y * scale; row < (y + 1) * scale; row++) {
      const start = row * width + x * scale;
      for (let at = start; at < start + scale; at++) data.fill(0, at * 4, at * 4 + 3);
    }
  }
  return decodeQR({ width, height: width, data });
}

/** The squares of a path of absolute and relative moves, each drawn as `h1v1…Z`. */
function modulesOf(path: string): [x: number, y: number][] {
  let [x, y] = [0, 0];
  return Array.from(path.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)/g), ([, kind, a, b]) => {
    [x, y] = kind === "M" ? [Number(a), Number(b)] : [x + Number(a), y + Number(b)];
    return [x, y];
  });
}

test("one page has the identity as 24 words and as text; both restore it", async () => {
  const { pages, howTo } = await makeRecoveryPages(identity);
  expect(pages).toHaveLength(1);
  const [page = ""] = pages;
  expect(wordsOf(page).split(" ")).toHaveLength(24);
  expect(textOf(page)).toBe(identity);
  expect(await restoreRecoveryIdentity(wordsOf(page), { recipient })).toEqual({ identity, recipient });
  expect(page).toContain(recipient);
  expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
  expect(howTo).toMatch(/^HOW TO OPEN THIS WITHOUT KEEPLIGHT/);
});

describe("an identity in parts", () => {
  test.each([
    [3, 2],
    [5, 3],
    [16, 16],
  ])("of %i parts any %i restore it, by text or by words", async (parts, threshold) => {
    const { pages } = await makeRecoveryPages(identity, { parts, threshold });
    expect(pages).toHaveLength(parts);
    const texts = pages.map((page, at) => (at % 2 === 0 ? textOf(page) : `${labelOf(page)} ${wordsOf(page)}`));
    for (const chosen of [texts.slice(0, threshold), texts.slice(-threshold), texts]) {
      expect(await restoreRecoveryIdentity(chosen, { recipient })).toEqual({ identity, recipient });
    }
    expect(pages.join()).not.toContain(identity);
  });

  test("Python alone restores it too", async () => {
    const folder = await scratch();
    const { pages } = await makeRecoveryPages(identity, { parts: 3 });
    const joined = await runScript(folder, "join.py", pages.slice(1).map(textOf));
    expect(joined).toBe(`${identity}\n`);
    await writeFile(join(folder, "identity.txt"), joined, { mode: 0o600 });
    const { stdout } = await promisify(execFile)("age-keygen", ["-y", join(folder, "identity.txt")]);
    expect(stdout.trim()).toBe(recipient);
  });

  test("too few, repeated, foreign and malformed parts are refused, and the error shows none of them", async () => {
    const texts = (await makeRecoveryPages(identity, { parts: 3 })).pages.map(textOf);
    const others = (await makeRecoveryPages((await createRecoveryIdentity()).identity, { parts: 3 })).pages.map(textOf);
    const [first = "", second = ""] = texts;
    for (const wrong of [
      [first],
      [first, first],
      [first, others[1] ?? ""],
      [first, second.slice(0, -1)],
      [first, ""],
      [],
    ]) {
      const error = await failure(restoreRecoveryIdentity(wrong, { recipient }));
      expect(error.code).toBe("INVALID_KEY");
      expect(`${error} ${error.stack}`).not.toContain(first.slice(-64));
    }
  });
});

test("a wrong word is noticed", async () => {
  const { pages } = await makeRecoveryPages(identity);
  const words = wordsOf(pages[0] ?? "").split(" ");
  const wrong = ["zoo", ...words.slice(1)].join(" ");
  expect(await failure(restoreRecoveryIdentity(wrong, { recipient }))).toMatchObject({ code: "INVALID_KEY" });
});

test.each([{ parts: 0 }, { parts: 17 }, { parts: 3, threshold: 1 }, { parts: 3, threshold: 4 }])(
  "%j is refused",
  async (options) => {
    expect(await failure(makeRecoveryPages(identity, options))).toMatchObject({ code: "INVALID_OPTION" });
  },
);

test("the QR code holds the text of the page", async () => {
  for (const page of [
    ...(await makeRecoveryPages(identity)).pages,
    ...(await makeRecoveryPages(identity, { parts: 2 })).pages,
  ]) {
    expect(readQr(page)).toBe(textOf(page));
  }
});
