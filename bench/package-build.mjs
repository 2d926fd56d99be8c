// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";

const root = new URL("../", import.meta.url);

/** Builds the package unless `dist` is newer than its sources. */
export async function ensureBuilt() {
  const inputs = ["package.json", "tsup.config.ts", ...listFiles("src")];
  // The build writes it last.
  const built = getModifiedAt("dist/THIRD_PARTY_LICENSES.txt");
  if (inputs.every((input) => getModifiedAt(input) <= built)) return;
  console.error("building the package");
  const build = spawn(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: root, stdio: "inherit" });
  const [code] = await once(build, "exit");
  if (code !== 0) throw new Error("the package could not be built");
}

/** @param {string} folder */
function listFiles(folder) {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
}

/**
 * Returns when a file was last modified, in milliseconds, or 0 if there is none.
 *
 * @param {string} path
 */
function getModifiedAt(path) {
  return statSync(new URL(path, root), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
