// @ts-check
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { start } from "./processes.mjs";

const root = new URL("../", import.meta.url);

/** Builds the package where that was not done since its sources changed. */
export async function ensureBuilt() {
  const inputs = ["package.json", "tsup.config.ts", ...filesUnder("src")];
  // Written last by the build.
  const built = changedAt("dist/THIRD_PARTY_LICENSES.txt");
  if (inputs.every((input) => changedAt(input) <= built)) return;
  console.error("building the package");
  const [code] = await once(start(new URL("scripts/build.mjs", root)), "exit");
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
