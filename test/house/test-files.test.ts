import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

const folders = ["packages", "apps"].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => join(parent, name, "test")),
);

const files = ["test", "bench", ...folders.filter((folder) => existsSync(join(root, folder)))]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !path.includes(`node_modules${sep}`))
  .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(root, path), "utf8") }));

/** Finds every match of `pattern` in the files at `paths`, as `path: match`. */
function findMatches(paths: RegExp, pattern: RegExp): string[] {
  return files
    .filter(({ path }) => paths.test(path))
    .flatMap(({ path, text }) => Array.from(text.matchAll(pattern), ([match]) => `${path}: ${match}`));
}

test("tests read nothing outside of the repository", () => {
  const outside = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?:from |import\(|URL\()["'`](\.\.\/[^"'`\n]*)["'`]/g), ([, target = ""]) => ({
      path,
      target,
    })).filter(({ target }) => relative(root, resolve(root, path, "..", target)).startsWith("..")),
  );
  expect(files.length).toBeGreaterThan(150);
  expect(outside).toEqual([]);
});

/** Conditions that may skip a test: the runtime and the system, never a missing file. */
const skipConditions = [
  'process.platform === "win32"',
  'process.platform !== "linux"',
  'typeof SharedArrayBuffer === "undefined"',
  "inNode",
  "!executablePath",
];

test("a test is skipped only if its runtime or system lacks what it tests", () => {
  const skips = findMatches(/(^|\/)test\//, /\.(?:skipIf|runIf)\((.*?)\)(?:\(|\.each|$)/gm);
  const allowed = skipConditions.map((condition) => `If(${condition})`);
  expect(skips.length).toBeGreaterThan(5);
  expect(skips.filter((skip) => !allowed.some((condition) => skip.includes(condition)))).toEqual([]);
  expect(findMatches(/(^|\/)test\/.*(test|full)\.tsx?$/, /\b(?:test|it|describe)\.(?:skip|todo|only)\b.*/g)).toEqual(
    [],
  );
});

test("no test asserts a duration: durations belong in the bench", () => {
  const tests = /(^|\/)test\/.*\.test\.tsx?$/;
  expect(findMatches(tests, /performance\.now\(\) -|process\.hrtime/g)).toEqual([]);
  expect(
    findMatches(tests, /expect\([^;]*(Date\.now\(\) -|\.seconds\b|TaskMs|elapsed)[^;]*\)\.toBe(Less|Greater)Than/g),
  ).toEqual([]);
});
