// @ts-check
// Publishes the tarballs in a folder, each after those that it requires: `node scripts/publish.mjs FOLDER [ARGUMENTS]`,
// with further arguments of `npm publish`. What is published already is left out, so a run that failed can be repeated.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packages, tarballName } from "./packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const [folder = "", ...args] = process.argv.slice(2);

for (const { name } of packages) {
  // Fails, or prints nothing, for what is not published.
  const { stdout } = spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" });
  if (stdout.trim() === version) {
    console.log(`${name}@${version} is published`);
    continue;
  }
  const { status } = spawnSync("npm", ["publish", join(folder, tarballName(name, version)), ...args], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`${name} could not be published`);
}
