// @ts-check
// Turns the files of .changeset into the next version of all packages, and its part of CHANGELOG.md.
// `npm run release:version`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packages } from "./packages.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const packagePath = `${root}package.json`;
const lockPath = `${root}package-lock.json`;
const names = packages.map(({ name }) => name);

/**
 * @param {string} path
 * @param {unknown} value
 */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/**
 * Sets the version of one of the packages, and that of those which a workspace depends on.
 *
 * @param {Record<string, any>} manifest - package.json of a workspace, or what the lock file has of it
 * @param {string} version
 */
function setVersion(manifest, version) {
  if (names.includes(manifest["name"])) manifest["version"] = version;
  for (const kind of ["dependencies", "devDependencies", "peerDependencies"]) {
    for (const name of names) if (manifest[kind]?.[name] !== undefined) manifest[kind][name] = version;
  }
}

const { workspaces: _, ...published } = readJson(packagePath);
const before = readFileSync(packagePath, "utf8");
// The packages have one version and one changelog. With workspaces, changesets would write a changelog for each of them,
// and turn every minor version into a major one: each names the others' exact version, as peers too.
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
  const lock = readJson(lockPath);
  const workspaces = Object.keys(lock.packages).filter((path) => !/(^|\/)node_modules\//.test(path));
  for (const workspace of workspaces) {
    const path = join(root, workspace, "package.json");
    const manifest = readJson(path);
    const was = JSON.stringify(manifest);
    setVersion(manifest, version);
    if (JSON.stringify(manifest) !== was) writeJson(path, manifest);
    // The lock file names a package only where its folder does not.
    const locked = { name: manifest.name, ...lock.packages[workspace] };
    setVersion(locked, version);
    if (lock.packages[workspace].name === undefined) delete locked.name;
    lock.packages[workspace] = locked;
  }
  lock.version = version;
  writeJson(lockPath, lock);
}
