// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";

const root = new URL("../", import.meta.url);

/** Builds the package where that was not done since its sources changed. */
export async function ensureBuilt() {
  const inputs = ["package.json", "tsup.config.ts", ...filesUnder("src")];
  // Written last by the build.
  const built = changedAt("dist/THIRD_PARTY_LICENSES.txt");
  if (inputs.every((input) => changedAt(input) <= built)) return;
  console.error("building the package");
  const build = spawn(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: root, stdio: "inherit" });
  const [code] = await once(build, "exit");
  if (code !== 0) throw new Error("the package could not be built");
}

/** @param {string} folder */
function filesUnder(folder) {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
}

/**
 * When a file was last written to, in milliseconds, or 0 where there is none.
 *
 * @param {string} path
 */
function changedAt(path) {
  return statSync(new URL(path, root), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
