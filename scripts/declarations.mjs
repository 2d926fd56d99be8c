// @ts-check
import { execFileSync } from "node:child_process";
import { cpSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "tsup";

/** The modules that users import. */
const entries = [
  "index",
  "backup/index",
  "bulk/index",
  "query/index",
  "react/index",
  "service-worker/index",
  "server/index",
  "devnet/index",
  "compat/kavach/index",
  "compat/kavach/config",
  "compat/lighthouse/index",
  "compat/lighthouse/config",
];

/** TypeScript 7, which takes a tenth of the time. */
const compiler = "node_modules/typescript-7/bin/tsc";

/**
 * Writes the declarations of the package: checked, those of each source, and from them one file an entry, with what
 * several entries share beside them.
 *
 * @param {string} dist
 */
export async function writeDeclarations(dist) {
  const folder = join(dist, "declarations");
  // Types may follow from data.
  cpSync("src", folder, { recursive: true, filter: (path) => statSync(path).isDirectory() || path.endsWith(".json") });
  const config = {
    extends: resolve("tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: resolve("src"),
      outDir: resolve(folder),
    },
    include: [],
    files: entries.map((name) => resolve(`src/${name}.ts`)),
  };
  const configFile = join(folder, "tsconfig.json");
  writeFileSync(configFile, JSON.stringify(config));
  execFileSync(process.execPath, [compiler, "--project", configFile], { stdio: "inherit" });
  await build({
    config: false,
    silent: true,
    format: "esm",
    outDir: dist,
    entry: entries.map((name) => `src/${name}.ts`),
    dts: {
      only: true,
      entry: Object.fromEntries(entries.map((name) => [name, `${folder}/${name}.d.ts`])),
      compilerOptions: { ignoreDeprecations: "6.0" },
    },
  });
  rmSync(folder, { recursive: true });
}
