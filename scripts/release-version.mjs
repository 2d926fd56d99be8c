// @ts-check
// Turns the files of .changeset into the next version and its part of CHANGELOG.md. `npm run release:version`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const packagePath = `${root}package.json`;
const lockPath = `${root}package-lock.json`;

/**
 * @param {string} path
 * @param {unknown} value
 */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

const { workspaces, ...published } = readJson(packagePath);
const before = readFileSync(packagePath, "utf8");
// With workspaces, changesets would version those, and not the package that they are in.
writeJson(packagePath, published);
let version = "";
try {
  const cli = `${root}releases/node_modules/@changesets/cli/bin.js`;
  const { status } = spawnSync(process.execPath, [cli, "version"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
  version = readJson(packagePath).version;
} finally {
  writeFileSync(packagePath, before);
}
if (version !== "" && version !== published.version) {
  writeJson(packagePath, { ...readJson(packagePath), version });
  const lock = readJson(lockPath);
  writeJson(lockPath, { ...lock, version, packages: { ...lock.packages, "": { ...lock.packages[""], version } } });
}
