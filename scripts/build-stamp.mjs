// @ts-check
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packages } from "./packages.mjs";

/** What `dist` follows from. Of the packages that it is built with, npm keeps a list of what is really installed. */
const inputs = [
  ...packages.flatMap(({ folder }) => [join(folder, "src"), join(folder, "package.json")]),
  "scripts",
  "package-lock.json",
  "node_modules/.package-lock.json",
  "tsconfig.json",
  "tsup.config.ts",
];

/** What a build writes. */
const outputs = packages.map(({ folder }) => join(folder, "dist"));

/** Beside what is built, so that whoever removes `dist` removes it too. */
const STAMP = "dist/.stamp";

/**
 * Returns what `dist` would be built from now. It is asked for before building: a source that changes meanwhile leaves a
 * stamp that no longer fits.
 *
 * @param {string} root - folder of the checkout
 */
export function fingerprintSources(root) {
  return fingerprint(root, inputs);
}

/**
 * Records that all of `dist` was built.
 *
 * @param {string} root
 * @param {string} sources - by {@link fingerprintSources}, from before
 */
export function stampBuild(root, sources) {
  writeFileSync(join(root, STAMP), stampOf(root, sources));
}

/**
 * Returns whether `dist` is all that a build would write now: by contents, as times say little after a checkout.
 *
 * @param {string} root
 */
export function isBuilt(root) {
  try {
    return readFileSync(join(root, STAMP), "utf8") === stampOf(root, fingerprintSources(root));
  } catch {
    return false;
  }
}

/**
 * @param {string} root
 * @param {string} sources
 */
function stampOf(root, sources) {
  return `sources ${sources}\nbuilt ${fingerprint(root, outputs)}\n`;
}

/**
 * @param {string} root
 * @param {readonly string[]} paths - files and folders; those that do not exist count as such
 */
function fingerprint(root, paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((path) => listFiles(root, path))) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(root, path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined || path === STAMP) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`));
}
