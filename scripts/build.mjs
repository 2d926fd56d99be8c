// @ts-check
// Builds the package, unless `dist` is what a build would write now.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { fingerprintSources, isBuilt, stampBuild } from "./build-stamp.mjs";
import { writeCommonjs } from "./commonjs.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { thirdPartyLicenses } from "./licenses.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
if (isBuilt(root)) console.log("dist is up to date");
else {
  const sources = fingerprintSources(root);
  rmSync("dist", { recursive: true, force: true });
  await build({ config: "tsup.config.ts" });
  await writeDeclarations("dist");
  chmodSync("dist/cli/main.js", 0o755);
  writeFileSync("dist/cli/keeplight.1", execFileSync(process.execPath, ["dist/cli/main.js", "manual", "man"]));
  await writeCommonjs("dist");
  writeFileSync("dist/THIRD_PARTY_LICENSES.txt", thirdPartyLicenses("dist"));
  stampBuild(root, sources);
}
