import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

const files = ["test", "bench"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !path.includes(`node_modules${sep}`))
  .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(root, path), "utf8") }));

/** Every match of `pattern` in the files at `paths`, as `path: match`. */
function matches(paths: RegExp, pattern: RegExp): string[] {
  return files
    .filter(({ path }) => paths.test(path))
    .flatMap(({ path, text }) => Array.from(text.matchAll(pattern), ([match]) => `${path}: ${match}`));
}

test("nothing is read from outside the repository", () => {
  const outside = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?:from |import\(|URL\()["'`](\.\.\/[^"'`\n]*)["'`]/g), ([, target = ""]) => ({
      path,
      target,
    })).filter(({ target }) => relative(root, resolve(root, path, "..", target)).startsWith("..")),
  );
  expect(files.length).toBeGreaterThan(150);
  expect(outside).toEqual([]);
});

/** What decides whether a test can run at all: the runtime and the system, never a file that might be missing. */
const skipConditions = [
  'process.platform === "win32"',
  'process.platform !== "linux"',
  'typeof SharedArrayBuffer === "undefined"',
  "inNode",
  "!executablePath",
];

test("a test is skipped only where its runtime or system cannot do what it tests", () => {
  const skips = matches(/^test\//, /\.(?:skipIf|runIf)\((.*?)\)(?:\(|\.each|$)/gm);
  const allowed = skipConditions.map((condition) => `If(${condition})`);
  expect(skips.length).toBeGreaterThan(5);
  expect(skips.filter((skip) => !allowed.some((condition) => skip.includes(condition)))).toEqual([]);
  expect(matches(/^test\/.*(test|large)\.tsx?$/, /\b(?:test|it|describe)\.(?:skip|todo|only)\b.*/g)).toEqual([]);
});

test("no test asserts a duration: figures belong in the bench", () => {
  const tests = /^test\/.*\.(test|large)\.tsx?$/;
  expect(matches(tests, /performance\.now\(\) -|process\.hrtime/g)).toEqual([]);
  expect(
    matches(tests, /expect\([^;]*(Date\.now\(\) -|\.seconds\b|TaskMs|elapsed)[^;]*\)\.toBe(Less|Greater)Than/g),
  ).toEqual([]);
});
