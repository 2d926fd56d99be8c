import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprintSources, isBuilt, stampBuild } from "../../scripts/build-stamp.mjs";

const built = { "dist/index.js": "export {};", "packages/cli/dist/main.js": "run();" };
const sources = {
  "src/index.ts": "export {};",
  "packages/cli/src/main.ts": "run();",
  "packages/devnet/src/data.json": "[]",
  "scripts/build.mjs": "build();",
  "package.json": "{}",
  "package-lock.json": "{}",
  "node_modules/.package-lock.json": "{}",
  "tsconfig.json": "{}",
  "tsup.config.ts": "{}",
};

let root: string;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "keeplight-stamp-"));
  for (const [path, content] of Object.entries({ ...sources, ...built })) write(path, content);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a folder that was never stamped is not built", () => {
  expect(isBuilt(root)).toBe(false);
});

test.each(Object.entries({ ...sources, ...built }))("%s makes it stale when it changes or goes", (path, content) => {
  stampBuild(root, fingerprintSources(root));
  expect(isBuilt(root)).toBe(true);
  const size = Buffer.alloc(content.length, "x").toString();
  write(path, size);
  utimesSync(join(root, path), 0, 0);
  expect(isBuilt(root)).toBe(false);
  write(path, content);
  expect(isBuilt(root)).toBe(true);
  rmSync(join(root, path));
  expect(isBuilt(root)).toBe(false);
});

test.each(["src/new.ts", "scripts/new.mjs", "dist/new.js"])("a new %s makes it stale", (path) => {
  stampBuild(root, fingerprintSources(root));
  write(path, "");
  expect(isBuilt(root)).toBe(false);
});

test("content that moves from one file to another makes it stale", () => {
  write("src/a.ts", "one");
  write("src/b.ts", "");
  stampBuild(root, fingerprintSources(root));
  write("src/a.ts", "");
  write("src/b.ts", "one");
  expect(isBuilt(root)).toBe(false);
});

test("a source that changes during a build leaves it stale", () => {
  const before = fingerprintSources(root);
  write("src/index.ts", "export const late = 1;");
  stampBuild(root, before);
  expect(isBuilt(root)).toBe(false);
});
