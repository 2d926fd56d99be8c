// @ts-check
// `--no-types` skips the declaration files, which take most of the time.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { writeCommonjs } from "./commonjs.mjs";
import { thirdPartyLicenses } from "./licenses.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("dist", { recursive: true, force: true });
await build({ config: "tsup.config.ts" });
chmodSync("dist/cli/main.js", 0o755);
writeFileSync("dist/cli/keeplight.1", execFileSync(process.execPath, ["dist/cli/main.js", "manual", "man"]));
await writeCommonjs("dist");
writeFileSync("dist/THIRD_PARTY_LICENSES.txt", thirdPartyLicenses("dist"));
