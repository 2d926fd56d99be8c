// @ts-check
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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
];

/** Those whose declarations are one file each: the devnet's parts are bundled, and the others are CommonJS too. */
const joinedEntries = [
  "devnet/index",
  "compat/kavach/index",
  "compat/kavach/config",
  "compat/lighthouse/index",
  "compat/lighthouse/config",
];

/** TypeScript 7, which takes a tenth of the time. */
const compiler = "node_modules/typescript-7/bin/tsc";

/**
 * Writes the declarations of the package, checked: one beside each module, as an editor that follows a kit's function to
 * its documentation needs it, and one for each of the joined entries.
 *
 * @param {string} dist
 */
export async function writeDeclarations(dist) {
  const folder = join(dist, "declarations");
  // Types may follow from data.
  cpSync("src", folder, { recursive: true, filter: (path) => statSync(path).isDirectory() || path.endsWith(".json") });
  emit(entries, dist);
  emit(joinedEntries, folder);
  renameImports(dist);
  await build({
    config: false,
    silent: true,
    format: "esm",
    outDir: dist,
    entry: joinedEntries.map((name) => `src/${name}.ts`),
    dts: {
      only: true,
      entry: Object.fromEntries(joinedEntries.map((name) => [name, `${folder}/${name}.d.ts`])),
      compilerOptions: { ignoreDeprecations: "6.0" },
    },
  });
  rmSync(folder, { recursive: true });
}

/**
 * Writes the declarations of these modules and of all that they import.
 *
 * @param {readonly string[]} names
 * @param {string} outDir
 */
function emit(names, outDir) {
  const config = {
    extends: resolve("tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: resolve("src"),
      outDir: resolve(outDir),
    },
    include: [],
    files: names.map((name) => resolve(`src/${name}.ts`)),
  };
  const configFile = resolve(outDir, "tsconfig.json");
  writeFileSync(configFile, JSON.stringify(config));
  execFileSync(process.execPath, [compiler, "--project", configFile], { stdio: "inherit" });
  rmSync(configFile);
}

/**
 * Names the modules that declarations import as those of `dist` are named.
 *
 * @param {string} dist
 */
function renameImports(dist) {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(dist, name);
    writeFileSync(file, readFileSync(file, "utf8").replace(/"(\.\.?\/[^"]*)\.tsx?"/g, '"$1.js"'));
  }
}
