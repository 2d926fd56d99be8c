// @ts-check
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "tsup";
import { thirdPartyLicenses } from "./licenses.mjs";

/** The SDK's entries, by the names that scripts/commonjs-entry.ts gives them. */
const parts = {
  index: "index",
  "parts/index": "parts",
  "parts/node": "partsNode",
};

/** The builds of tsup.config.ts, with the declarations that their entries have beside their ES modules. */
const builds = [
  { dist: "dist", entries: Object.keys(parts) },
  { dist: "packages/kavach/dist", entries: ["index", "config", "shared", "types"] },
  { dist: "packages/lighthouse-sdk/dist", entries: ["index", "config", "types"] },
];

/** Writes the CommonJS of the packages that have it, once they are compiled: code, declarations, and licences of others. */
export async function writeCommonjs() {
  execFileSync(process.execPath, [resolve("node_modules/tsup/dist/cli-default.js")], { stdio: "inherit" });
  for (const { dist, entries } of builds) {
    if (existsSync(join(dist, "cjs/calls.cjs"))) {
      copyDeclarations(dist, entries, "cjs", "cts");
      writeDropIn(join(dist, "cjs"));
    } else {
      writeEntries(join(dist, "cjs"));
      await joinDeclarations(dist, entries);
    }
    const [report = ""] = readdirSync(join(dist, "cjs")).filter((name) => name.startsWith("metafile-"));
    const licenses = thirdPartyLicenses(join(dist, "cjs", report));
    if (licenses) writeFileSync(join(dist, "cjs/THIRD_PARTY_LICENSES"), licenses);
    rmSync(join(dist, "cjs", report));
  }
}

/**
 * Writes the entries of the SDK, each with the part of the one file that is its own.
 *
 * @param {string} folder
 */
function writeEntries(folder) {
  const all = createRequire(import.meta.url)(resolve(folder, "all.cjs"));
  for (const [name, part] of Object.entries(parts)) {
    const names = Object.keys(all[part]).join(", ");
    const path = `${"../".repeat(name.split("/").length - 1) || "./"}all.cjs`;
    const lines = [
      '"use strict";',
      `const { ${part} } = require(${JSON.stringify(path)});`,
      `module.exports = Object.defineProperty(${part}, "__esModule", { value: true });`,
      // By which Node knows the names when an ES module imports the file.
      `0 && (module.exports = { ${names} });`,
    ];
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, `${name}.cjs`), `${lines.join("\n")}\n`);
  }
}

/**
 * Writes the entry of a drop-in: its calls are properties of plain objects, which tests can replace.
 *
 * @param {string} folder
 */
function writeDropIn(folder) {
  const names = Object.keys(createRequire(import.meta.url)(resolve(folder, "calls.cjs")));
  const lines = [
    '"use strict";',
    'Object.defineProperty(exports, "__esModule", { value: true });',
    'const calls = require("./calls.cjs");',
    ...names.map((name) => `exports.${name} = calls.${name};`),
    "exports.default = { ...calls };",
  ];
  writeFileSync(join(folder, "index.cjs"), `${lines.join("\n")}\n`);
  // By name, as the code has them: attw does not follow `export *`.
  const calls = readFileSync(join(folder, "calls.d.cts"), "utf8");
  const types = readFileSync(join(folder, "index.d.cts"), "utf8");
  writeFileSync(
    join(folder, "index.d.cts"),
    types.replace('export * from "./calls.cjs";\n', () => calls),
  );
}

/**
 * Joins declarations in a file for each entry, as the SDK has hundreds.
 *
 * @param {string} dist
 * @param {readonly string[]} entries
 */
async function joinDeclarations(dist, entries) {
  const folder = join(dist, "declarations");
  copyDeclarations(dist, entries, "declarations", "ts");
  const entry = Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.d.ts`)]));
  // Of a package of ES modules, tsup writes `.d.cts`.
  const dts = { only: true, entry, compilerOptions: { ignoreDeprecations: "6.0" } };
  await build({ config: false, silent: true, format: "cjs", outDir: join(dist, "cjs"), entry: ["src/index.ts"], dts });
  rmSync(folder, { recursive: true });
  // In a namespace, tsup takes types of another file for values, which compilers refuse. Nothing names them there.
  const file = join(dist, "cjs/index.d.cts");
  let text = readFileSync(file, "utf8");
  for (const [line, name] of text.matchAll(/^declare const (\w+_[A-Z]\w*): typeof \w+;\n/gm)) {
    text = text.replace(line, "").replace(new RegExp(`\\b${name} as \\w+, `), "");
  }
  writeFileSync(file, text);
}

/**
 * Copies declarations, and those that they import.
 *
 * @param {string} dist
 * @param {readonly string[]} entries
 * @param {string} to - folder in `dist`
 * @param {"ts" | "cts"} ending
 */
function copyDeclarations(dist, entries, to, ending) {
  /** What is copied; it grows meanwhile. */
  const names = new Set(entries);
  for (const name of names) {
    const folder = dirname(join(dist, name));
    const text = readFileSync(join(dist, `${name}.d.ts`), "utf8")
      // Types are those of Node, as the code is.
      .replaceAll('"#platform"', `"./${relative(folder, join(dist, "platform/node/index.js"))}"`)
      .replace(/(?<=")(\.\.?\/[^"]*)\.js(?=")/g, (_, path) => {
        if (existsSync(join(folder, `${path}.d.ts`))) names.add(relative(dist, join(folder, path)));
        return `${path}.${ending === "ts" ? "js" : "cjs"}`;
      });
    const copy = join(dist, to, `${name}.d.${ending}`);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  }
}
