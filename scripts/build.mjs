// @ts-check
// Builds the packages, unless each `dist` is what a build would write now.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fingerprintSources, isBuilt, stampBuild } from "./build-stamp.mjs";
import { writeCommonjs } from "./commonjs.mjs";
import { compile } from "./compile.mjs";
import { packages } from "./packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
if (isBuilt(root)) console.log("dist is up to date");
else {
  const sources = fingerprintSources(root);
  for (const { folder } of packages) compile(folder);
  await writeCommonjs();
  const generate = (/** @type {string} */ form) =>
    execFileSync(process.execPath, ["packages/cli/bin.js", "manual", form]);
  writeFileSync("packages/cli/dist/keeplight.1", generate("man"));
  writeFileSync("packages/cli/dist/events.schema.json", generate("schema"));
  stampBuild(root, sources);
}
