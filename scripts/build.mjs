// @ts-check
// `--no-types` skips the declaration files, which take most of the time.
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { thirdPartyLicenses } from "./licenses.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("dist", { recursive: true, force: true });
await build({ config: "tsup.config.ts" });
writeFileSync("dist/THIRD_PARTY_LICENSES.txt", thirdPartyLicenses("dist"));
